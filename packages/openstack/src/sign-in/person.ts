import type { Clock } from '@fairway/base/clock';

/** The person to prompt, if there is one. */
export interface Person {
  /** Prompts for an answer; throws a {@link SignInError} if nobody can answer. */
  ask(question: string): Promise<string>;
  /** Like {@link ask}, with hidden input. */
  askSecret(question: string): Promise<string>;
  /** Whether a person sees the output of {@link show} and can use a browser. */
  readonly canRead: boolean;
  show(text: string): void;
  /** Opens a browser if there is one; resolves immediately. */
  openBrowser(url: string): void;
}

/** The dependencies of a flow that involves a person. */
export interface PersonContext {
  readonly person: Person;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Thrown when a sign-in cannot continue; the message explains what to do. Never contains a secret. */
export class SignInError extends Error {
  readonly advice: string | undefined;

  constructor(message: string, options: { readonly advice?: string; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'SignInError';
    this.advice = options.advice;
  }
}
