import type { Clock } from '@fairway/base/clock';

/** Who can be asked, if anybody is there. */
export interface Person {
  /** The answer to a question; throws a {@link SignInError} if nobody can answer. */
  ask(question: string): Promise<string>;
  /** Like {@link ask}, without the answer being seen. */
  askSecret(question: string): Promise<string>;
  /** Whether somebody reads what {@link show} says, and can go to a browser. */
  readonly canRead: boolean;
  show(text: string): void;
  /** Opens a browser if there is one; resolves at once. */
  openBrowser(url: string): void;
}

/** What a flow needs in which a person takes part. */
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
