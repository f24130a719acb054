/** A recorded span of a trace. */
export interface DrawnSpan {
  readonly id: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const WIDTH = 1000;
const LEFT = 330;
const RIGHT = 70;
const TOP = 64;
const ROW = 22;
const INDENT = 14;

const SPAN_STYLES = [
  { is: /^(create|update|patch|delete) /, fill: '#bfdbfe', stroke: '#2563eb', label: 'a tenant’s request' },
  { is: /^reconcile /, fill: '#fde68a', stroke: '#ca8a04', label: 'a reconcile' },
  { is: /^[A-Z]+ \//, fill: '#bbf7d0', stroke: '#16a34a', label: 'a call to OpenStack' },
  { is: /^/, fill: '#e2e8f0', stroke: '#64748b', label: 'a call to a Kubernetes API' },
] as const;

/** Draws spans as bars over time, each below its parent, as an SVG. Pure. */
export function traceSvg(spans: readonly DrawnSpan[], title: string): string {
  const rows = ordered(spans);
  const fromMs = Math.min(...spans.map((span) => span.fromMs));
  const toMs = Math.max(...spans.map((span) => span.toMs));
  const x = (ms: number) => round(LEFT + ((ms - fromMs) * (WIDTH - LEFT - RIGHT)) / Math.max(toMs - fromMs, 1));
  const height = TOP + rows.length * ROW + 34;
  const axisY = height - 30;
  const bars = rows.map(({ span, depth }, row) => {
    const y = TOP + row * ROW;
    const { fill, stroke } = SPAN_STYLES.find(({ is }) => is.test(span.name)) ?? SPAN_STYLES[3];
    const width = Math.max(round(x(span.toMs) - x(span.fromMs)), 2);
    const durationMs = span.toMs - span.fromMs;
    return (
      `<text x="${12 + depth * INDENT}" y="${y + 13}" class="n">${escape(span.name)}</text>` +
      `<rect x="${x(span.fromMs)}" y="${y + 2}" width="${width}" height="14" rx="2" fill="${fill}" stroke="${stroke}"/>` +
      `<text x="${round(x(span.fromMs) + width + 5)}" y="${y + 13}" class="d">${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms</text>`
    );
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const ms = fromMs + share * (toMs - fromMs);
    return `<line x1="${x(ms)}" y1="${TOP}" x2="${x(ms)}" y2="${axisY}" stroke="#e2e8f0"/><text x="${x(ms)}" y="${axisY + 18}" class="a">${((ms - fromMs) / 1000).toFixed(1)} s</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title" font-family="system-ui, sans-serif">`,
    `<title id="title">${escape(title)}</title>`,
    '<style>.t{font-size:14px;font-weight:600;fill:#0f172a}.l,.n{font-size:12px;fill:#334155}.d{font-size:10px;fill:#64748b}.a{font-size:11px;fill:#475569;text-anchor:middle}</style>',
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="12" y="22" class="t">${escape(title)}</text>`,
    ...SPAN_STYLES.map(
      ({ fill, stroke, label }, index) =>
        `<rect x="${12 + index * 190}" y="36" width="12" height="12" rx="2" fill="${fill}" stroke="${stroke}"/><text x="${30 + index * 190}" y="46" class="l">${label}</text>`,
    ),
    ...ticks,
    ...bars,
    '</svg>',
    '',
  ].join('\n');
}

/** Parents before their children, by time. */
function ordered(spans: readonly DrawnSpan[]): { readonly span: DrawnSpan; readonly depth: number }[] {
  const ids = new Set(spans.map(({ id }) => id));
  const below = (parent: string | undefined, depth: number): { span: DrawnSpan; depth: number }[] =>
    spans
      .filter((span) => (parent === undefined ? !ids.has(span.parent ?? '') : span.parent === parent))
      .sort((a, b) => a.fromMs - b.fromMs)
      .flatMap((span) => [{ span, depth }, ...below(span.id, depth + 1)]);
  return below(undefined, 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
