import { AsyncLocalStorage } from 'node:async_hooks';

/** Leave to act on something that one process at a time may act on. */
export interface Grant {
  /** What it is for, as errors name it: `team/demo`. */
  readonly subject: string;
  /** Whether it is good at this moment. Once false it stays so. */
  isValid(): boolean;
}

/** Thrown in place of a side effect for which the permission has been lost: nothing was done, and nothing is to be tried again. */
export class FencedError extends Error {
  override readonly name = 'FencedError';

  constructor(subject: string, action: string) {
    super(`${action} was not done: ${subject} is not, or no longer, this process's to act on`);
  }
}

/** Allows nothing. */
export const NO_GRANT: Grant = { subject: 'what does not exist any more', isValid: () => false };

const grants = new AsyncLocalStorage<Grant | undefined>();

/** Runs `work` and all that it starts under a grant; with undefined, under none, so that nothing is checked. */
export function runUnder<T>(grant: Grant | undefined, work: () => T): T {
  return grants.run(grant, work);
}

/** For what goes on after the call that began it: tells whether the caller's permission to act is still good; it always is where none is needed. */
export function leaveToAct(): () => boolean {
  const grant = grants.getStore();
  return () => grant?.isValid() ?? true;
}

/**
 * A check for the caller's grant as it is now, to be made wherever the side effect happens in the end, right before it and each time
 * anew: it throws a FencedError when the grant is lost. Undefined when the caller needs none.
 */
export function fenceFor(action: string): (() => void) | undefined {
  const grant = grants.getStore();
  if (grant === undefined) return undefined;
  return () => {
    if (!grant.isValid()) throw new FencedError(grant.subject, action);
  };
}
