import type { Clock } from '@fairway/base/clock';

/** The person to ask, if there is one. */
export interface Person {
  /** The answer to a question; throws a {@link SignInError} if there is no person to answer. */
  ask(question: string): Promise<string>;
  /** Like {@link ask}, with hidden input. */
  askSecret(question: string): Promise<string>;
  /** Whether a person reads the output of {@link show}, and can use a browser. */
  readonly canRead: boolean;
  show(text: string): void;
  /** Opens a browser if there is one; resolves at once. */
  openBrowser(url: string): void;
}

/** The dependencies of a flow that involves a person. */
export interface PersonContext {
  readonly person: Person;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Thrown when a sign-in cannot go on; says what to do. Never holds a secret. */
export class SignInError extends Error {
  readonly advice: string | undefined;

  constructor(message: string, options: { readonly advice?: string; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'SignInError';
    this.advice = options.advice;
  }
}
