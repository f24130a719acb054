import { AsyncLocalStorage } from 'node:async_hooks';

/** Permission to act on something that only one process at a time may act on. */
export interface Grant {
  /** What the grant covers, for error messages, such as `team/demo`. */
  readonly subject: string;
  /** Whether the grant is valid now. Once false, it stays false. */
  isValid(): boolean;
}

/** Thrown instead of a side effect if the grant has been lost: nothing was done, and the caller must not retry. */
export class FencedError extends Error {
  override readonly name = 'FencedError';

  constructor(subject: string, action: string) {
    super(`${action} was not done: ${subject} is not, or no longer, owned by this process`);
  }
}

/** A grant that is never valid. */
export const NO_GRANT: Grant = { subject: 'a deleted object', isValid: () => false };

const grants = new AsyncLocalStorage<Grant | undefined>();

/** Runs `work` and everything it starts under a grant; undefined means no grant and no checks. */
export function runUnderGrant<T>(grant: Grant | undefined, work: () => T): T {
  return grants.run(grant, work);
}

/**
 * For work that continues after the call that started it. Returns a function that reports whether the caller's grant is
 * still valid; always true without a grant.
 */
export function captureGrant(): () => boolean {
  const grant = grants.getStore();
  return () => grant?.isValid() ?? true;
}

/**
 * Captures the caller's grant as a check to call right before each side effect: it throws a FencedError if the grant
 * has been lost. Undefined without a grant.
 */
export function fenceFor(action: string): (() => void) | undefined {
  const grant = grants.getStore();
  if (grant === undefined) return undefined;
  return () => {
    if (!grant.isValid()) throw new FencedError(grant.subject, action);
  };
}
