// A line chart of the last hour. Its size is reserved before there is data. The lines differ in dashes as well as in
// color, and the legend has the latest values, which is also what a screen reader gets.

import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { useStore } from '../live/store.ts';
import { theme } from '../shell/theme.ts';

export interface Series {
  label: string;
  // Which of the chart colors in style/theme.css.
  tone: number;
  dash?: number[];
  values: number[];
}

const kHeight = 116;
const kSeconds = 3600;
// The distances between the lines of the grid, so that no two have the same label.
const kWholeSteps = [1, 2, 5].flatMap((step) => Array.from({ length: 13 }, (_, n) => step * 10 ** n)).sort((a, b) => a - b);

interface Props {
  title: string;
  at: number[];
  series: Series[];
  format: (value: number) => string;
}

export function Chart(props: Props) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const current = useStore(theme);
  // Without any point there would be no axes.
  const at = props.at.length > 0 ? props.at : [Date.now() / 1000];
  const data: uPlot.AlignedData = [at, ...props.series.map((series) => (props.at.length > 0 ? series.values : [null]))];
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(element, props.series, props.format), latest.current, element);
    };
    draw();
    const size = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: kHeight }));
    size.observe(element);
    // The canvas has its colors from the theme, so it is drawn again when that changes.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      size.disconnect();
      scheme.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [current]);

  useEffect(() => plot.current?.setData(data), [data]);

  const last = (values: number[]) => values[values.length - 1];
  const summary = props.series
    .map((series) => `${series.label} ${format(props.format, last(series.values))}, at most ${format(props.format, Math.max(...series.values, 0))}`)
    .join('; ');
  return (
    <figure class="chart">
      <figcaption>
        <span>{props.title}</span>
        <span class="legend">
          {props.series.map((series) => (
            <span key={series.label}>
              <svg width="18" height="8" aria-hidden="true">
                <line x1="0" y1="4" x2="18" y2="4" class={`c${series.tone}`} stroke-width="2" stroke-dasharray={series.dash?.join(' ')} />
              </svg>
              {props.series.length > 1 && series.label} <b>{format(props.format, last(series.values))}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={host} class="plot" role="img" aria-label={`${props.title} in the last hour: ${summary}`} />
    </figure>
  );
}

function format(print: (value: number) => string, value: number | undefined): string {
  return value === undefined ? '–' : print(value);
}

function options(element: HTMLElement, series: Series[], print: (value: number) => string): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = { stroke: color('--muted'), font: '11px system-ui, sans-serif', ticks: { show: false } };
  const grid = { stroke: color('--line'), width: 1 };
  return {
    width: Math.max(80, element.clientWidth),
    height: kHeight,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    padding: [8, 8, 0, 0],
    scales: {
      x: { range: () => [Date.now() / 1000 - kSeconds, Date.now() / 1000] },
      y: { range: (_plot, _min, max) => [0, Math.max(4, (max ?? 0) * 1.1)] },
    },
    axes: [
      { ...axis, grid: { show: false }, space: 60, size: 22, values: (_plot, at) => at.map(clockTime) },
      { ...axis, grid, space: 28, size: 48, incrs: kWholeSteps, values: (_plot, values) => values.map((value) => print(value)) },
    ],
    series: [
      {},
      ...series.map((each) => ({
        label: each.label,
        stroke: color(`--chart-${each.tone}`),
        width: 1.5,
        dash: each.dash,
        fill: each.tone === 1 ? color('--chart-fill') : undefined,
        points: { show: false },
      })),
    ],
  };
}

function clockTime(at: number): string {
  const date = new Date(at * 1000);
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`;
}
