import { FencedError } from '@fairway/base/fence';
import type { Problem } from '../problem.ts';

/** Thrown when the control-plane runtime fails. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Awaits a call to the control-plane runtime, and wraps its error. */
export async function ofRuntime<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof FencedError ? error : new RuntimeError(error);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left on its disk; free some, or give it a larger one',
  EDQUOT: 'the quota of its disk is used up; free some, or ask for more',
  EROFS: 'its disk can only be read; look at the log of its kernel',
  EIO: 'its disk fails; look at the log of its kernel',
  EACCES: "Fairway's user may not write its files; fix their owner and mode",
  EMFILE: 'Fairway has too many files open; raise its limit (ulimit -n)',
  ENFILE: 'its host has too many files open; raise the limit (fs.file-max)',
  ENOMEM: 'its host has no memory left',
};

/** Maps an error of the runtime to a problem; undefined for any other error. */
export function runtimeProblemOf(error: unknown): Problem | undefined {
  if (!(error instanceof RuntimeError)) return undefined;
  const code = errorCode(error.cause);
  // The system's message names a file that differs on each attempt.
  const words = (code !== undefined && (WORDS[code] ?? `the system says ${code}`)) || error.message;
  return { reason: 'ControlPlaneFailed', message: `the control plane cannot be kept up: ${words}` };
}

/** The system error code such as `ENOSPC`, also of a nested cause. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? errorCode(error.cause) : undefined;
}
