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

let context: AudioContext | null = null;
let stream: MediaStream | null = null;

export async function startMicrophone(): Promise<void> {
  if (microphone.value !== 'off') return;
  microphone.value = 'starting';
  try {
    const constraints = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true };
    stream = await navigator.mediaDevices.getUserMedia({ audio: constraints });
    context = new AudioContext({ latencyHint: 'interactive' });
    await context.audioWorklet.addModule(address(import.meta.env.DEV ? 'src/microphone.worklet.ts' : 'microphone.js'));
    await context.resume();
    const node = new AudioWorkletNode(context, 'microphone', { numberOfInputs: 1, numberOfOutputs: 0 });
    node.port.onmessage = ({ data }: MessageEvent<{ pcm: ArrayBuffer; level: number }>) => {
      if (microphone.value !== 'on') return;
      level.value = data.level;
      // Quietest 60 dB below full scale, so that a room is at the bottom and speech in the upper half.
      sample({ level: Math.max(0, Math.min(1, 1 + data.level / 60)) });
      sendSound(data.pcm);
    };
    context.createMediaStreamSource(stream).connect(node);
    for (const track of stream.getTracks()) track.addEventListener('ended', stopMicrophone);
    microphone.value = 'on';
  } catch (error) {
    stopMicrophone();
    throw error;
  }
}

export function stopMicrophone(): void {
  const wasOn = microphone.value === 'on';
  microphone.value = 'off';
  level.value = -100;
  for (const track of stream?.getTracks() ?? []) track.stop();
  void context?.close();
  stream = null;
  context = null;
  // An empty frame ends what is being said.
  if (wasOn) sendSound(new ArrayBuffer(0));
}

// Nobody hears it any more; it is not switched on again without being asked to.
effect(() => {
  if (connection.value !== 'open' && microphone.peek() === 'on') stopMicrophone();
});
