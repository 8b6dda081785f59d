/** Brings sound to another rate, a block at a time: a windowed sinc that also keeps out what the lower rate cannot hold. */

const HALF_WIDTH = 12;

export class Resampler {
  private readonly step: number;
  private readonly cutoff: number;
  private readonly reach: number;
  private history: Float32Array;
  /** Where the next sample lies, counted from the start of the history. */
  private position: number;

  constructor(from: number, to: number) {
    this.step = from / to;
    this.cutoff = Math.min(1, to / from) * 0.94;
    this.reach = Math.ceil(HALF_WIDTH / Math.min(1, to / from));
    this.history = new Float32Array(this.reach);
    this.position = this.reach;
  }

  push(block: Float32Array): Float32Array {
    if (this.step === 1) return block.slice();
    const all = new Float32Array(this.history.length + block.length);
    all.set(this.history);
    all.set(block, this.history.length);
    const made: number[] = [];
    while (this.position + this.reach < all.length) {
      made.push(this.at(all, this.position));
      this.position += this.step;
    }
    const keep = Math.max(0, Math.floor(this.position) - this.reach);
    this.history = all.slice(keep);
    this.position -= keep;
    return Float32Array.from(made);
  }

  private at(samples: Float32Array, position: number): number {
    const centre = Math.floor(position);
    let sum = 0;
    for (let index = centre - this.reach + 1; index <= centre + this.reach; index += 1) {
      const distance = position - index;
      const edge = distance / this.reach;
      if (Math.abs(edge) >= 1) continue;
      const angle = Math.PI * distance * this.cutoff;
      const sinc = angle === 0 ? 1 : Math.sin(angle) / angle;
      sum += (samples[index] ?? 0) * sinc * (0.5 + 0.5 * Math.cos(Math.PI * edge));
    }
    return sum * this.cutoff;
  }
}

/** Samples of 16 bits, as the daemon takes them. */
export function toPcm(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32767));
}

/** Level of a block in decibels below full scale. */
export function levelDb(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return 10 * Math.log10(sum / Math.max(1, samples.length) + 1e-10);
}
