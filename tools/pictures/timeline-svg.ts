/** State of a node from its pods' perspective. */
export type NodeState = 'old' | 'draining' | 'installing' | 'new' | 'deleting';

export interface Segment {
  readonly state: NodeState;
  readonly fromMs: number;
  readonly toMs: number;
}

/** One node's upgrade. */
export interface Lane {
  readonly name: string;
  readonly segments: readonly Segment[];
}

export interface Timeline {
  readonly title: string;
  readonly description: string;
  readonly lanes: readonly Lane[];
  /** When the nodes' update started. */
  readonly fromMs: number;
  readonly toMs: number;
}

const APPEARANCE: Readonly<
  Record<NodeState, { readonly fill: string; readonly stroke: string; readonly label: string }>
> = {
  old: { fill: '#e2e8f0', stroke: '#64748b', label: 'ready, old version' },
  draining: { fill: '#fef3c7', stroke: '#ca8a04', label: 'drained' },
  installing: { fill: '#dbeafe', stroke: '#3b82f6', label: 'installed, boots and joins' },
  new: { fill: '#bbf7d0', stroke: '#16a34a', label: 'ready, new version' },
  deleting: { fill: '#fee2e2', stroke: '#dc2626', label: 'server deleted' },
};

const WIDTH = 1000;
const LEFT = 150;
const RIGHT = 30;
const TOP = 84;
const LANE_HEIGHT = 34;
const BAR_HEIGHT = 22;
const STATES = Object.keys(APPEARANCE) as NodeState[];

/** Draws the lanes over a common time axis as an SVG. Pure. */
export function timelineSvg({ title, description, lanes, fromMs, toMs }: Timeline): string {
  const axisY = TOP + lanes.length * LANE_HEIGHT + 8;
  const height = axisY + 44;
  const scale = (WIDTH - LEFT - RIGHT) / Math.max(toMs - fromMs, 1);
  const x = (ms: number) => Math.round((LEFT + (Math.min(Math.max(ms, fromMs), toMs) - fromMs) * scale) * 10) / 10;
  const bars = lanes.flatMap(({ name, segments }, index) => {
    const y = TOP + index * LANE_HEIGHT;
    const shown = segments.filter((segment) => segment.toMs > fromMs && x(segment.toMs) > x(segment.fromMs));
    return [
      `<text x="${LEFT - 12}" y="${y + 16}" class="n">${escape(name)}</text>`,
      ...shown.map(({ state, ...span }) => {
        const { fill, stroke } = APPEARANCE[state];
        const width = Math.round((x(span.toMs) - x(span.fromMs)) * 10) / 10;
        return `<rect x="${x(span.fromMs)}" y="${y}" width="${width}" height="${BAR_HEIGHT}" rx="3" fill="${fill}" stroke="${stroke}"/>`;
      }),
    ];
  });
  const legend = STATES.filter((state) => lanes.some(({ segments }) => segments.some((each) => each.state === state)));
  const step = stepOf((toMs - fromMs) / 1000);
  const ticks = Array.from({ length: Math.floor((toMs - fromMs) / 1000 / step) + 1 }, (_, index) => index * step);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif">`,
    `<title id="title">${escape(title)}</title><desc id="desc">${escape(description)}</desc>`,
    '<style>.t{font-size:15px;font-weight:600;fill:#0f172a}.l{font-size:12px;fill:#334155}.n{font-size:12px;fill:#334155;text-anchor:end}.a{font-size:11px;fill:#475569;text-anchor:middle}</style>',
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="28" class="t">${escape(title)}</text>`,
    ...legend.map((state, index) => {
      const { fill, stroke, label } = APPEARANCE[state];
      const at = LEFT + index * 168;
      return `<rect x="${at}" y="46" width="14" height="14" rx="3" fill="${fill}" stroke="${stroke}"/><text x="${at + 20}" y="58" class="l">${label}</text>`;
    }),
    ...bars,
    `<line x1="${LEFT}" y1="${axisY}" x2="${WIDTH - RIGHT}" y2="${axisY}" stroke="#334155"/>`,
    ...ticks.map((seconds) => {
      const at = x(fromMs + seconds * 1000);
      return `<line x1="${at}" y1="${axisY}" x2="${at}" y2="${axisY + 5}" stroke="#334155"/><text x="${at}" y="${axisY + 20}" class="a">${minutes(seconds)}</text>`;
    }),
    '</svg>',
    '',
  ].join('\n');
}

/** Seconds between two ticks, for about ten ticks. */
function stepOf(seconds: number): number {
  return [10, 15, 30, 60, 120, 300, 600].find((step) => seconds / step <= 10) ?? 1200;
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
