/** The browser's microphone as one of Hark's: no wake word needed. */

import { effect, signal } from '@preact/signals';
import { address } from './api';
import { connection, sample } from './store';
import { sendSound } from './socket';

export type MicrophoneState = 'off' | 'starting' | 'on';
export const microphone = signal<MicrophoneState>('off');
/** Level of what it hears, in decibels below full scale. */
export const level = signal(-100);

/** Browsers give a microphone only to pages of this machine and to those that came encrypted. */
export const microphoneIsPossible =
  isSecureContext && typeof navigator.mediaDevices?.getUserMedia === 'function' && typeof AudioWorkletNode === 'function';

/** Level and sound of 40 ms: 16 kHz mono s16le. */
interface Frame {
  pcm: ArrayBuffer;
  level: number;
}

/** Opens the browser's microphone and hands over what it hears, until what it answers is called. */
async function listen(take: (frame: Frame) => void, ended: () => void): Promise<() => void> {
  const constraints = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true };
  const stream = await navigator.mediaDevices.getUserMedia({ audio: constraints });
  const context = new AudioContext({ latencyHint: 'interactive' });
  const close = () => {
    for (const track of stream.getTracks()) track.stop();
    void context.close();
  };
  try {
    await context.audioWorklet.addModule(address(import.meta.env.DEV ? 'src/microphone.worklet.ts' : 'microphone.js'));
    await context.resume();
    const node = new AudioWorkletNode(context, 'microphone', { numberOfInputs: 1, numberOfOutputs: 0 });
    node.port.onmessage = ({ data }: MessageEvent<Frame>) => take(data);
    context.createMediaStreamSource(stream).connect(node);
    for (const track of stream.getTracks()) track.addEventListener('ended', ended);
    return close;
  } catch (error) {
    close();
    throw error;
  }
}

let close: (() => void) | null = null;

export async function startMicrophone(): Promise<void> {
  if (microphone.value !== 'off') return;
  microphone.value = 'starting';
  try {
    close = await listen((frame) => {
      if (microphone.value !== 'on') return;
      level.value = frame.level;
      // Quietest 60 dB below full scale, so that a room is at the bottom and speech in the upper half.
      sample({ level: Math.max(0, Math.min(1, 1 + frame.level / 60)) });
      sendSound(frame.pcm);
    }, stopMicrophone);
    microphone.value = 'on';
  } catch (error) {
    stopMicrophone();
    throw error;
  }
}

/** What is said in so long a time, as bytes of 16 kHz mono s16le. */
export async function record(ms: number): Promise<Uint8Array> {
  const frames: Uint8Array[] = [];
  let ended = () => {};
  const over = new Promise<void>((resolve) => (ended = resolve));
  const stop = await listen((frame) => frames.push(new Uint8Array(frame.pcm)), () => ended());
  setTimeout(() => ended(), ms);
  await over;
  stop();
  const sound = new Uint8Array(frames.reduce((length, frame) => length + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    sound.set(frame, at);
    at += frame.length;
  }
  return sound;
}

export function stopMicrophone(): void {
  const wasOn = microphone.value === 'on';
  microphone.value = 'off';
  level.value = -100;
  close?.();
  close = null;
  // An empty frame ends what is being said.
  if (wasOn) sendSound(new ArrayBuffer(0));
}

// Nobody hears it any more; it is not switched on again without being asked to.
effect(() => {
  if (connection.value !== 'open' && microphone.peek() === 'on') stopMicrophone();
});
