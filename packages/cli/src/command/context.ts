import type { Clock } from '@fairway/base/clock';

/** A stream that a command writes text to. */
export interface TextSink {
  write(text: string): void;
  /** Whether a person looks at it. */
  readonly isTerminal: boolean;
}

/** All that a command knows of the process around it. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  /** What was asked for, and nothing else, so that it can be piped. */
  readonly stdout: TextSink;
  /** Progress, hints and errors. */
  readonly stderr: TextSink;
  readonly readStdin: () => Promise<string>;
  /** Asks a person; undefined where there is none. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  /** Aborts when the person gives up (SIGINT, SIGTERM). */
  readonly signal: AbortSignal;
  exitWith(code: number): void;
}

/** Options of every command; they may stand before or after its name. */
export interface GlobalOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly debug?: boolean;
}
