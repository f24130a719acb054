import type { CliContext } from '../command/context.ts';
import { LineReporter, type Reporter } from './reporter.ts';

/** Bars on a terminal that can redraw its lines, otherwise one line per change. */
export async function openReporter({
  stderr,
  env,
  clock,
}: Pick<CliContext, 'stderr' | 'env' | 'clock'>): Promise<Reporter> {
  if (!stderr.isTerminal || env.TERM === 'dumb') return new LineReporter(stderr);
  const { TerminalReporter } = await import('./terminal-reporter.ts');
  return new TerminalReporter(process.stderr, clock);
}
