/** The figure: a hare of lit and unlit points, put together from parts. */

export type Pose = 'ready' | 'listening' | 'thinking' | 'speaking' | 'guarding' | 'resting' | 'muted' | 'error' | 'away';

export const WIDTH = 34;
export const HEIGHT = 26;
const HEAD_X = 6;

const HEAD = [
  '......##########......',
  '....##############....',
  '...################...',
  '..##################..',
  '..##################..',
  '..##################..',
  '..##################..',
  '..##################..',
  '...################...',
  '....##############....',
  '......##########......',
];
const HEAD_Y = 13;

const EARS = {
  up: [
    '.....##........##.....',
    '....####......####....',
    '....#..#......#..#....',
    '....#..#......#..#....',
    '....#..#......#..#....',
    '....#..#......#..#....',
    '....#..##....##..#....',
    '....##..#....#..##....',
    '.....#..#....#..#.....',
    '.....#..##..##..#.....',
    '.....##..####..##.....',
    '......#..####..#......',
    '......###....###......',
  ],
  wide: [
    '..##..............##..',
    '.####............####.',
    '.#..##..........##..#.',
    '.#...#..........#...#.',
    '.##..##........##..##.',
    '..#...#........#...#..',
    '..##..##......##..##..',
    '...#...#......#...#...',
    '...##..##....##..##...',
    '....#...#....#...#....',
    '....##..######..##....',
    '.....##..####..##.....',
    '......###....###......',
  ],
  bent: [
    '.....##...............',
    '....####..............',
    '....#..#......#####...',
    '....#..#.....##...##..',
    '....#..#.....#..#..##.',
    '....#..#.....#..##..#.',
    '....#..##....#..###.#.',
    '....##..#....#..#.###.',
    '.....#..#....#..#..#..',
    '.....#..##..##..#.....',
    '.....##..####..##.....',
    '......#..####..#......',
    '......###....###......',
  ],
  down: [
    '......................',
    '......................',
    '......................',
    '......................',
    '......................',
    '......................',
    '......................',
    '......................',
    '......................',
    '....##..........##....',
    '...####........####...',
    '..##..####..####..##..',
    '..#..############..#..',
  ],
} as const;

/** Ears that hang down lie over the sides of the head. */
const LOBES = [
  '##..................##',
  '##..................##',
  '##..................##',
  '##..................##',
  '##..................##',
  '.##................##.',
  '..#................#..',
];

const EYES = {
  open: ['.##..##.', '.##..##.', '.##..##.'],
  wide: ['###..###', '#.#..#.#', '###..###'],
  closed: ['........', '#.#..#.#', '.#....#.'],
  blink: ['........', '###..###', '........'],
  left: ['##...##.', '##...##.', '........'],
  right: ['.##...##', '.##...##', '........'],
  narrow: ['#......#', '###..###', '.##..##.'],
  crossed: ['#.#..#.#', '.#....#.', '#.#..#.#'],
} as const;

const MOUTHS = {
  still: ['#..#', '.##.'],
  line: ['....', '####'],
  small: ['.##.', '....'],
  open: ['.##.', '####', '.##.'],
  round: ['.##.', '.##.'],
  crossed: ['#..#', '.##.', '#..#'],
} as const;

interface Frame {
  ears: keyof typeof EARS;
  eyes: keyof typeof EYES;
  mouth: keyof typeof MOUTHS;
  extra?: [number, number, string[]][];
  shift?: number;
  ms: number;
}

const WAVE = ['..#', '.#.', '#..', '#..', '#..', '.#.', '..#'];
const mirrored = (rows: string[]) => rows.map((row) => [...row].reverse().join(''));
const waves = (count: number): [number, number, string[]][] =>
  Array.from({ length: count }, (_, index) => index).flatMap((index) => [
    [2 - 2 * index, 4, WAVE],
    [29 + 2 * index, 4, mirrored(WAVE)],
  ]);
const Z = ['####', '..#.', '.#..', '####'];
const SMALL_Z = ['###', '.#.', '###'];
const DOT = ['##', '##'];
const BANG = ['##', '##', '##', '##', '..', '##'];
const LOUD = ['..#.', '.#..', '#...', '.#..', '..#.'];
const CROSS = ['#...#', '.#.#.', '..#..', '.#.#.', '#...#'];

const FRAMES: Record<Pose, Frame[]> = {
  ready: [
    { ears: 'up', eyes: 'open', mouth: 'still', ms: 2600 },
    { ears: 'up', eyes: 'blink', mouth: 'still', ms: 140 },
    { ears: 'up', eyes: 'open', mouth: 'still', ms: 1900 },
    { ears: 'bent', eyes: 'open', mouth: 'still', ms: 260 },
    { ears: 'up', eyes: 'open', mouth: 'still', ms: 400 },
    { ears: 'bent', eyes: 'open', mouth: 'still', ms: 220 },
  ],
  listening: [
    { ears: 'wide', eyes: 'wide', mouth: 'small', extra: waves(1), ms: 260 },
    { ears: 'wide', eyes: 'wide', mouth: 'small', extra: waves(2), ms: 260 },
    { ears: 'wide', eyes: 'wide', mouth: 'small', ms: 260 },
  ],
  thinking: [
    { ears: 'bent', eyes: 'left', mouth: 'line', extra: [[29, 6, DOT]], ms: 300 },
    { ears: 'bent', eyes: 'left', mouth: 'line', extra: [[29, 6, DOT], [31, 3, DOT]], ms: 300 },
    { ears: 'bent', eyes: 'right', mouth: 'line', extra: [[29, 6, DOT], [31, 3, DOT], [29, 0, DOT]], ms: 420 },
  ],
  speaking: [
    { ears: 'up', eyes: 'open', mouth: 'open', extra: [[30, 16, mirrored(LOUD)]], ms: 150 },
    { ears: 'up', eyes: 'open', mouth: 'small', extra: [[29, 16, mirrored(LOUD)]], ms: 130 },
    { ears: 'up', eyes: 'open', mouth: 'round', extra: [[30, 16, mirrored(LOUD)]], ms: 170 },
    { ears: 'up', eyes: 'open', mouth: 'still', ms: 110 },
  ],
  guarding: [
    { ears: 'wide', eyes: 'narrow', mouth: 'line', extra: [[0, 6, BANG], [32, 6, BANG]], ms: 500 },
    { ears: 'wide', eyes: 'narrow', mouth: 'line', ms: 300 },
  ],
  resting: [
    { ears: 'down', eyes: 'closed', mouth: 'small', extra: [[25, 8, SMALL_Z]], shift: 1, ms: 900 },
    { ears: 'down', eyes: 'closed', mouth: 'small', extra: [[25, 8, SMALL_Z], [29, 3, Z]], shift: 1, ms: 1100 },
    { ears: 'down', eyes: 'closed', mouth: 'small', shift: 2, ms: 700 },
  ],
  muted: [
    { ears: 'down', eyes: 'open', mouth: 'crossed', extra: [[28, 4, CROSS]], ms: 3000 },
    { ears: 'down', eyes: 'blink', mouth: 'crossed', extra: [[28, 4, CROSS]], ms: 150 },
  ],
  error: [
    { ears: 'bent', eyes: 'crossed', mouth: 'line', extra: [[31, 4, BANG]], ms: 700 },
    { ears: 'bent', eyes: 'crossed', mouth: 'line', ms: 500 },
  ],
  away: [{ ears: 'down', eyes: 'blink', mouth: 'line', ms: 1000 }],
};

/** The path of all lit points: one rectangle for each run of a row. */
function path(frame: Frame): string {
  const lit = Array.from({ length: HEIGHT }, () => new Uint8Array(WIDTH));
  const draw = (x: number, y: number, rows: readonly string[], value: number) =>
    rows.forEach((row, dy) =>
      [...row].forEach((point, dx) => {
        const line = lit[y + dy];
        if (point === '#' && line && x + dx >= 0 && x + dx < WIDTH) line[x + dx] = value;
      }),
    );
  const y = frame.shift ?? 0;
  draw(HEAD_X, y, EARS[frame.ears], 1);
  draw(HEAD_X, HEAD_Y + y, HEAD, 1);
  if (frame.ears === 'down') draw(HEAD_X, HEAD_Y + y, LOBES, 1);
  draw(HEAD_X + 7, HEAD_Y + 2 + y, EYES[frame.eyes], 0);
  draw(HEAD_X + 9, HEAD_Y + 7 + y, MOUTHS[frame.mouth], 0);
  for (const [dx, dy, rows] of frame.extra ?? []) draw(dx, dy, rows, 1);
  let drawn = '';
  lit.forEach((line, row) => {
    for (let x = 0; x < WIDTH; x += 1) {
      if (!line[x]) continue;
      const from = x;
      while (x + 1 < WIDTH && line[x + 1]) x += 1;
      drawn += `M${from} ${row}h${x - from + 1}v1h${from - x - 1}z`;
    }
  });
  return drawn;
}

export interface Drawn {
  path: string;
  ms: number;
}

const made = new Map<Pose, Drawn[]>();

export function frames(pose: Pose): Drawn[] {
  let drawn = made.get(pose);
  if (!drawn) {
    drawn = FRAMES[pose].map((frame) => ({ path: path(frame), ms: frame.ms }));
    made.set(pose, drawn);
  }
  return drawn;
}
