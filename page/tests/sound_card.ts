/** A sound card for machines that have none, as `tests/support/sound_card.rs` has it: a PulseAudio server of its own with two null
 * sinks. `room` is the air in front of the microphone, `spk` the loudspeaker. */

import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RATE_HZ = 48_000;

export interface SoundCard {
  /** What a program has in its environment to use it. */
  environment: Record<string, string>;
  /** Plays a WAV file in front of the microphone, and waits until it is over. */
  playIntoRoom(wav: string): Promise<void>;
  /** Records what the loudspeaker plays from now on; the end of it tells how loud it was at most, 0 to 1. */
  listenToSpeaker(): Promise<() => Promise<number>>;
  /** From now on the microphone hears the loudspeaker, as loud as it is played. */
  echo(): void;
  end(): void;
}

/** Whether this machine has the programs it takes. */
export function soundCardIsPossible(): boolean {
  return ['pulseaudio', 'pactl', 'paplay', 'parec', 'flite', 'sox'].every((program) => spawnSync(program, ['--version']).error === undefined);
}

async function wait(ms: number): Promise<void> {
  await new Promise((done) => setTimeout(done, ms));
}

async function ended(child: ChildProcess): Promise<void> {
  await new Promise((done) => child.once('exit', done));
}

export async function soundCard(): Promise<SoundCard> {
  const folder = mkdtempSync(join(tmpdir(), 'hark-card-'));
  for (const name of ['home', 'run', 'state']) mkdirSync(join(folder, name));
  const socket = join(folder, 'run/native');
  writeFileSync(join(folder, 'asound.conf'), 'pcm.!default { type pulse }\nctl.!default { type pulse }\npcm.pulse { type pulse hint.description "Virtual sound card" }\n');
  const environment = {
    HOME: join(folder, 'home'),
    XDG_RUNTIME_DIR: join(folder, 'run'),
    PULSE_RUNTIME_PATH: join(folder, 'run'),
    PULSE_STATE_PATH: join(folder, 'state'),
    PULSE_SERVER: `unix:${socket}`,
    ALSA_CONFIG_PATH: join(folder, 'asound.conf'),
  };
  const env = { ...process.env, ...environment };
  const server = spawn(
    'pulseaudio',
    [
      ...['-n', '--daemonize=no', '--system=false', '--exit-idle-time=-1', '--use-pid-file=no', '--disable-shm=true'],
      `--load=module-native-protocol-unix auth-anonymous=1 socket=${socket}`,
      ...['room', 'spk'].map((name) => `--load=module-null-sink sink_name=${name} rate=${RATE_HZ}`),
    ],
    { env, stdio: 'ignore' },
  );
  const pactl = (...order: string[]) => execFileSync('pactl', order, { env, stdio: ['ignore', 'pipe', 'ignore'] }).toString();
  for (let attempt = 0; ; attempt += 1) {
    try {
      if (pactl('list', 'short', 'sinks').includes('spk')) break;
    } catch (error) {
      if (attempt > 300) throw error;
    }
    await wait(50);
  }
  pactl('set-default-sink', 'spk');
  pactl('set-default-source', 'room.monitor');
  return {
    environment,
    playIntoRoom: (wav) => ended(spawn('paplay', ['--device=room', wav], { env, stdio: 'ignore' })),
    listenToSpeaker: async () => {
      const recorder = spawn('parec', ['--format=float32le', '--channels=1', `--rate=${RATE_HZ}`, '--latency-msec=10', '--device=spk.monitor'], { env });
      const pieces: Buffer[] = [];
      const begun = new Promise((done) => recorder.stdout.once('data', done));
      recorder.stdout.on('data', (piece: Buffer) => pieces.push(piece));
      await begun;
      return async () => {
        await wait(200);
        recorder.kill();
        await ended(recorder);
        const all = Buffer.concat(pieces);
        let most = 0;
        for (let at = 0; at + 4 <= all.length; at += 4) most = Math.max(most, Math.abs(all.readFloatLE(at)));
        return most;
      };
    },
    echo: () => void pactl('load-module', 'module-loopback', 'source=spk.monitor', 'sink=room', 'latency_msec=20'),
    end: () => {
      server.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A person says something, into a WAV file with some silence around it. */
export function say(words: string, file: string): string {
  execFileSync('flite', ['-voice', 'slt', '-t', words, '-o', `${file}.bare.wav`]);
  execFileSync('sox', ['-D', `${file}.bare.wav`, '-r', '16000', file, 'pad', '0.5', '1.0']);
  return file;
}
