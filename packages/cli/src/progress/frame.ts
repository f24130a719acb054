import { styleText } from 'node:util';
import { printable } from '../output/printable.ts';
import { barOf } from './bar.ts';
import type { EndState } from './reporter.ts';
import type { Step } from './step.ts';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Maximum number of a pool's nodes that get their own line, since a terminal has few lines. */
const MAX_PARTS = 8;

interface FrameOptions {
  /** Advances the spinners. */
  readonly tick: number;
  /** How the wait ended; undefined while it continues. */
  readonly endState?: EndState | undefined;
}

/** Renders steps for a terminal, one line each. Pure. */
export function frameOf(steps: readonly Step[], options: FrameOptions): string {
  const parts = steps.filter(({ isPart, state }) => isPart && state === 'running');
  const lines = [...steps.filter(({ isPart }) => !isPart), ...parts.slice(0, MAX_PARTS)].map((step) =>
    lineOf(step, options),
  );
  const more = parts.length - MAX_PARTS;
  return [...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n');
}

function lineOf({ title, state, detail, progress, isPart }: Step, options: FrameOptions): string {
  const isOver = state === 'done' || options.endState === 'reached';
  const bar = state === 'running' && !isOver && progress ? ` ${barOf(progress)}` : '';
  const suffix = state === 'waiting' || detail === '' ? '' : `: ${printable(detail).replaceAll(/\s+/g, ' ')}`;
  return `${isPart ? '  ' : ''}${iconOf(isOver ? 'done' : state, options)} ${title}${bar}${suffix}`;
}

function iconOf(state: Step['state'], { tick, endState }: FrameOptions): string {
  if (state === 'done') return styleText('green', '✔', FOR_TERMINAL);
  if (endState === 'failed' || state === 'failed') return styleText('red', '✖', FOR_TERMINAL);
  if (state === 'waiting' || endState === 'left') return '·';
  return styleText('yellow', SPINNER[tick % SPINNER.length] ?? '', FOR_TERMINAL);
}

/** Colours unless NO_COLOR forbids them. */
const FOR_TERMINAL = { stream: process.stderr } as const;
