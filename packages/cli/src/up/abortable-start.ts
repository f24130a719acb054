import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import type { CliContext } from '../command/context.ts';

/** How long a start that is stopped has to come to an end of its own, to be shut down in order. */
const GRACE_MS = 5_000;

/**
 * Waits for a start. If it is stopped meanwhile, the start has a few seconds left: a step that waits for something that never comes (a cloud, an API
 * server) must not keep the process. Rejects with a CommandError then; ending anywhere is safe.
 */
export async function abortableStart<T>(
  { clock, signal, stderr }: Pick<CliContext, 'clock' | 'signal' | 'stderr'>,
  starting: Promise<T>,
): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => {
    stderr.write('stopping during the start\n');
    clock.after(GRACE_MS, () => {
      stopped.reject(new CommandError('stopped during the start', { exitCode: ExitCode.Interrupted }));
    });
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([starting, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
