import type { Clock } from '@fairway/base/clock';

/** A stream that a command writes text to. */
export interface TextSink {
  write(text: string): void;
  /** Whether it is a terminal. */
  readonly isTerminal: boolean;
}

/** A command's view of its process. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  /** Results only, so that they can be piped. */
  readonly stdout: TextSink;
  /** Progress, hints and errors. */
  readonly stderr: TextSink;
  readonly readStdin: () => Promise<string>;
  /** Prompts for a line, without echo if it is hidden; undefined if not interactive. */
  readonly ask: ((question: string, isHidden: boolean) => Promise<string>) | undefined;
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /**
   * Calls `listener` on each SIGHUP, which then no longer ends the process; returns a function that removes the
   * listener.
   */
  readonly onHangup: (listener: () => void) => () => void;
  exitWith(code: number): void;
}

/** Global options; allowed before and after the command name. */
export interface GlobalOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly debug?: boolean;
}
