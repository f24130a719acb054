/** What the command tells a script; the same for every command. */
export const ExitCode = {
  Ok: 0,
  /** The server refused it, or what was waited for cannot come about. */
  Failed: 1,
  /** The command line, a file or the configuration is wrong: nothing was asked of anyone. */
  Usage: 2,
  /** Fairway's API or the cloud did not answer. */
  Unreachable: 3,
  /** It may still come about, but not within --timeout. */
  TimedOut: 4,
  /** Stopped by a signal: 128 + SIGINT. */
  Interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
