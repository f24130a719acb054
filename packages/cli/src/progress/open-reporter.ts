import type { CliContext } from '../command/context.ts';
import { LineReporter, type Reporter } from './reporter.ts';

/** Spinners on a terminal, otherwise one line per change. */
export async function openReporter({ stderr }: Pick<CliContext, 'stderr'>): Promise<Reporter> {
  if (!stderr.isTerminal) return new LineReporter(stderr);
  const { TerminalReporter } = await import('./terminal-reporter.ts');
  return new TerminalReporter();
}
