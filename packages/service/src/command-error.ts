import { ExitCode } from './exit-code.ts';

/** Thrown if a command can't continue; the message is for users. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** Advice: a sentence, or a command to run. */
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
