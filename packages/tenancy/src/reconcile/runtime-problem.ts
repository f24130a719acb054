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
export async function wrapRuntimeError<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof FencedError ? error : new RuntimeError(error);
  }
}

const CAUSE_TEXTS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on its disk; free space or provide a larger disk',
  EDQUOT: 'the disk quota is exceeded; free space or raise the quota',
  EROFS: 'its file system is read-only; check the kernel log',
  EIO: 'I/O error on its disk; check the kernel log',
  EACCES: 'permission denied on its files; correct their owner and mode',
  EMFILE: 'Fairway has too many open files; raise its limit (ulimit -n)',
  ENFILE: 'its host has too many open files; raise the limit (fs.file-max)',
  ENOMEM: 'its host is out of memory',
};

/** Maps an error from the runtime to a problem; undefined for any other error. */
export function runtimeProblemOf(error: unknown): Problem | undefined {
  if (!(error instanceof RuntimeError)) return undefined;
  const code = errorCode(error.cause);
  // The system error names a file that differs in each attempt.
  const words = (code !== undefined && (CAUSE_TEXTS[code] ?? `system error ${code}`)) || error.message;
  return { reason: 'ControlPlaneFailed', message: `the control plane runtime failed: ${words}` };
}

/** The system error code, such as `ENOSPC`, including that of a nested cause. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? errorCode(error.cause) : undefined;
}
