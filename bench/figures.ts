/** One line of a benchmark's results. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** The peer's value from the same run. */
  readonly peer?: number | undefined;
  readonly goal?: Goal | undefined;
}

export type Goal =
  | { readonly kind: 'at-most' | 'at-least'; readonly value: number }
  /** Goal for `value / peer`. */
  | { readonly kind: 'ratio-at-most' | 'ratio-at-least'; readonly value: number };

const RATE = { kind: 'ratio-at-least', value: 2 } as const satisfies Goal;
const MEMORY = { kind: 'ratio-at-most', value: 1 / 3 } as const satisfies Goal;

export const GOALS = { rate: RATE, memory: MEMORY } as const;

/** Returns undefined if the figure has no goal, or no peer to compare with. */
export function isMet({ value, peer, goal }: Figure): boolean | undefined {
  if (goal === undefined) return undefined;
  switch (goal.kind) {
    case 'at-most':
      return value <= goal.value;
    case 'at-least':
      return value >= goal.value;
    case 'ratio-at-most':
      return peer === undefined ? undefined : value / peer <= goal.value;
    case 'ratio-at-least':
      return peer === undefined ? undefined : value / peer >= goal.value;
    default:
      return goal satisfies never;
  }
}

/** Formats a Markdown table for the docs. */
export function formatFigures(title: string, figures: readonly Figure[], peerName?: string): string {
  const header = ['', 'unit', 'Fairway', ...(peerName === undefined ? [] : [peerName, 'ratio']), 'goal', 'met'];
  const rows = figures.map((figure) => [
    figure.name,
    figure.unit,
    formatNumber(figure.value),
    ...(peerName === undefined ? [] : [formatNumber(figure.peer), ratioOf(figure)]),
    formatGoal(figure.goal),
    { true: 'yes', false: 'no', undefined: '' }[String(isMet(figure))] ?? '',
  ]);
  const widths = header.map((text, column) => Math.max(text.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column < 2 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [`${title}\n`, line(header), rule, ...rows.map(line), ''].join('\n');
}

function ratioOf({ value, peer }: Figure): string {
  return peer === undefined || peer === 0 ? '' : (value / peer).toFixed(2);
}

function formatGoal(goal: Goal | undefined): string {
  if (goal === undefined) return '';
  const sign = goal.kind.endsWith('at-most') ? '≤' : '≥';
  return `${sign} ${formatNumber(goal.value)}${goal.kind.startsWith('ratio') ? ' ×' : ''}`;
}

function formatNumber(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

/** The median; for an even number of values the mean of the middle two. */
export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** A quantile of values in ascending order, interpolated. */
export function quantile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const position = (sorted.length - 1) * share;
  const low = sorted[Math.floor(position)] ?? 0;
  const high = sorted[Math.ceil(position)] ?? 0;
  return low + (high - low) * (position - Math.floor(position));
}
