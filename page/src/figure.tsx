import { useEffect, useState } from 'preact/hooks';
import { still } from './preferences';
import { frames, HEIGHT, WIDTH, type Pose } from './sprites';
import { connection, mode, question, state } from './store';

/** What the figure shows, from what the daemon says of itself. */
export function pose(): Pose {
  if (connection.value !== 'open') return 'away';
  if (['approval', 'pin'].includes(question.value?.kind ?? '') || (mode.value === 'GUARDING' && state.value !== 'listening')) return 'guarding';
  switch (state.value) {
    case 'listening':
      return 'listening';
    case 'processing':
      return 'thinking';
    case 'responding':
      return 'speaking';
    case 'muted':
      return 'muted';
    case 'error':
      return 'error';
    case 'idle':
      return mode.value === 'RESTING' ? 'resting' : mode.value === 'WORKING' ? 'thinking' : 'ready';
  }
}

export function Figure({ shown }: { shown: Pose }) {
  const drawn = frames(shown);
  const [index, setIndex] = useState(0);
  useEffect(() => setIndex(0), [shown]);
  useEffect(() => {
    if (still.value || drawn.length < 2) return undefined;
    const timer = setTimeout(() => setIndex((index + 1) % drawn.length), drawn[index]?.ms ?? 500);
    return () => clearTimeout(timer);
  }, [drawn, index, still.value]);
  return (
    <svg class="figure" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} shape-rendering="crispEdges" aria-hidden="true">
      <path d={(drawn[still.value ? 0 : index] ?? drawn[0])?.path} />
    </svg>
  );
}
