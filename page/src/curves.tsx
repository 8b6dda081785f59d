import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { isLight } from './preferences';

export interface Series {
  label: string;
  /** Custom property with the colour. */
  colour: string;
  kind: 'line' | 'area' | 'points';
}

interface Props {
  label: string;
  series: Series[];
  data: uPlot.AlignedData;
  range: [number, number] | null;
  axis: (value: number) => string;
  height: number;
  /** Each line of the grid is ten times the one below. */
  isLog?: boolean;
  xRange?: () => [number, number];
}

function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Powers of ten within the scale. */
function tens(_: uPlot, __: number, from: number, to: number): number[] {
  const powers: number[] = [];
  for (let power = Math.ceil(Math.log10(from)); 10 ** power <= to; power += 1) powers.push(10 ** power);
  return powers;
}

/** A chart; what it shows is told in words by its label. */
export function Curves({ label, series, data, range, axis, height, isLog, xRange }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const light = isLight.value;
  const names = series.map((one) => one.label).join('|');
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const dim = colourOf('--dim');
    const grid = { stroke: colourOf('--line'), width: 1 };
    const font = '11px ui-monospace, monospace';
    const made = new uPlot(
      {
        width: element.clientWidth || 300,
        height,
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, ...(xRange ? { range: xRange } : {}) },
          y: { ...(range ? { range: () => range } : {}), ...(isLog ? { distr: 3 as const, log: 10 as const } : {}) },
        },
        axes: [
          { show: false },
          { stroke: dim, grid, ticks: { show: false }, size: 48, font, ...(isLog ? { splits: tens } : {}), values: (_, at) => at.map((one) => (one === null ? '' : axis(one))) },
        ],
        series: [
          {},
          ...series.map((one): uPlot.Series => {
            const stroke = colourOf(one.colour);
            if (one.kind === 'points') {
              return { stroke, paths: () => null, points: { show: true, size: 9, fill: stroke, stroke } };
            }
            const isArea = one.kind === 'area';
            return {
              stroke,
              width: isArea ? 1 : 1.5,
              points: { show: false },
              spanGaps: true,
              ...(isArea ? { fill: `${stroke}33` } : {}),
            };
          }),
        ],
      },
      data,
      element,
    );
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: element.clientWidth || 300, height }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [light, names, height]);
  useEffect(() => plot.current?.setData(data), [data]);
  return (
    <figure class="curves">
      <div ref={place} role="img" aria-label={label} />
      <figcaption>
        {series.map((one) => (
          <span key={one.label}>
            <i class="swatch" style={{ background: `var(${one.colour})` }} />
            {one.label}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
