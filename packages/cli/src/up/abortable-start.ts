import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import type { CliContext } from '../command/context.ts';

/** Time for a stopped start to finish, so it can be shut down gracefully. */
const GRACE_MS = 5_000;

/**
 * Waits for a start. After a stop, allows a few more seconds, then rejects with a CommandError: a step that waits for a
 * missing cloud or API server must not block the exit. Exiting at any point is safe.
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
