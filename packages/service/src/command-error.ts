import { ExitCode } from './exit-code.ts';

/** Thrown where a command can go no further; what a person reads. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** What to do about it: a sentence, or a command to type. */
  readonly advice: string | undefined;

  constructor(
    message: string,
    options: { readonly exitCode?: ExitCode; readonly advice?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? ExitCode.Failed;
    this.advice = options.advice;
  }
}

export function usageError(message: string, advice?: string, cause?: unknown): CommandError {
  return new CommandError(message, { exitCode: ExitCode.Usage, advice, cause });
}
