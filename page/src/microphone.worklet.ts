/** Runs on the audio thread: 16 kHz mono s16le in frames of 40 ms, each with its level. */

import { levelDb, Resampler, toPcm } from './resampler';

declare const sampleRate: number;
declare const registerProcessor: (name: string, processor: unknown) => void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}

const RATE_HZ = 16000;
const FRAME_SAMPLES = 640;

class Microphone extends AudioWorkletProcessor {
  private readonly resampler = new Resampler(sampleRate, RATE_HZ);
  private frame = new Float32Array(FRAME_SAMPLES);
  private filled = 0;

  process(inputs: Float32Array[][]): boolean {
    const channel = inputs[0]?.[0];
    if (!channel) return true;
    for (const sample of this.resampler.push(channel)) {
      this.frame[this.filled] = sample;
      this.filled += 1;
      if (this.filled === FRAME_SAMPLES) {
        const pcm = toPcm(this.frame).buffer;
        this.port.postMessage({ pcm, level: levelDb(this.frame) }, [pcm]);
        this.filled = 0;
      }
    }
    return true;
  }
}

registerProcessor('microphone', Microphone);
