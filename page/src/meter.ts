/** What the microphone of the node hears, told ten times a second while somebody looks at it. */

import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { microphone } from './microphone';
import { send } from './socket';
import { connection, meter, sample } from './store';

/** How many views show it. */
const lookers = signal(0);

/** Asks for it while a view is shown and the tab is looked at. */
export function useMeter(): void {
  useEffect(() => {
    const look = (change: number) => (lookers.value += change);
    let isCounted = false;
    const settle = () => {
      const isSeen = document.visibilityState === 'visible';
      if (isSeen !== isCounted) look(isSeen ? 1 : -1);
      isCounted = isSeen;
    };
    settle();
    document.addEventListener('visibilitychange', settle);
    return () => {
      document.removeEventListener('visibilitychange', settle);
      if (isCounted) look(-1);
    };
  }, []);
}

let isOn = false;
effect(() => {
  const isWanted = lookers.value > 0 && connection.value === 'open';
  if (connection.value !== 'open') {
    isOn = false;
    meter.value = null;
  } else if (isWanted !== isOn) {
    isOn = isWanted;
    send({ type: 'meter', on: isWanted });
    if (!isWanted) meter.value = null;
  }
});

// The curves are of the browser's microphone while that is on.
effect(() => {
  const now = meter.value;
  if (now === null || !now.is_open || microphone.peek() === 'on') return;
  sample({ level: Math.max(0, Math.min(1, 1 + now.level_dbfs / 60)), speech: now.speech, wake: now.wake > 0.1 ? now.wake : null });
});
