import { createInterface } from 'node:readline/promises';
import { systemClock } from '@fairway/base/clock';
import { ExitCode } from '@fairway/service/exit-code';
import { CommanderError } from 'commander';
import { printable } from '../output/printable.ts';
import { buildProgram } from '../program.ts';
import type { CliContext, TextSink } from './context.ts';
import { followLauncher } from './launcher.ts';

/** Runs the command in a real process. Resolves with its exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const interrupt = new AbortController();
  const context = processContext(interrupt.signal);
  endOnSignals(interrupt);
  const stopFollowing = followLauncher(systemClock, ({ pid, name }) => {
    if (interrupt.signal.aborted) return;
    context.stderr.write(`stopping: ${name} (process ${pid}), which started this, has ended\n`);
    interrupt.abort('launcher');
  });
  // Libraries unref their timers, and during a backoff nothing else may keep the process alive.
  const heartbeat = setInterval(() => {}, HEARTBEAT_MS);
  try {
    const exitCode = await runWith(args, context);
    // What a stopped start or a completion still waits for must not keep the process alive.
    if (interrupt.signal.aborted || args[0] === '__complete') process.exit(exitCode);
    return exitCode;
  } finally {
    stopFollowing();
    clearInterval(heartbeat);
  }
}

const HEARTBEAT_MS = 60_000;

/** A terminal, npm and a launcher may each forward the same Ctrl-C: signals within this time count as one. */
const SAME_SIGNAL_MS = 500;

/** The first signal stops the command gracefully, the second ends the process immediately. */
function endOnSignals(interrupt: AbortController): void {
  let firstMs: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      const nowMs = systemClock.now();
      if (firstMs === undefined) {
        firstMs = nowMs;
        interrupt.abort(name);
      } else if (nowMs - firstMs > SAME_SIGNAL_MS) process.exit(ExitCode.Interrupted);
    });
  }
}

/** Runs a command. Resolves with its exit code; never rejects. */
export async function runWith(args: readonly string[], context: CliContext): Promise<number> {
  let exitCode: number = ExitCode.Ok;
  const program = buildProgram({ ...context, exitWith: (code) => (exitCode = code) });
  try {
    await program.parseAsync(args[0] === '--version' || args[0] === '-V' ? ['version', '--client'] : args, {
      from: 'user',
    });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.Ok : ExitCode.Usage;
    if (context.signal.aborted) return ExitCode.Interrupted;
    // Loaded on demand: the module that explains errors imports all packages.
    const { explainError } = await import('./explain-error.ts');
    const { message, advice, exitCode } = explainError(error);
    context.stderr.write(`error: ${printable(message)}\n${advice === undefined ? '' : `  ${printable(advice)}\n`}`);
    if (program.opts<{ debug?: boolean }>().debug && error instanceof Error) context.stderr.write(`${error.stack}\n`);
    return exitCode;
  }
}

function processContext(signal: AbortSignal): CliContext {
  return {
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock,
    stdout: sink(process.stdout),
    stderr: sink(process.stderr),
    readStdin: async () => {
      let text = '';
      for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk);
      return text;
    },
    confirm: process.stdin.isTTY && process.stderr.isTTY ? confirmOnTerminal : undefined,
    ask:
      process.stdin.isTTY && process.stderr.isTTY
        ? async (question, isHidden) => {
            const { askOnTerminal } = await import('./ask.ts');
            return askOnTerminal(question, isHidden, signal);
          }
        : undefined,
    signal,
    onHangup: (listener) => {
      process.on('SIGHUP', listener);
      return () => process.off('SIGHUP', listener);
    },
    exitWith: (code) => {
      process.exitCode = code;
    },
  };
}

function sink(stream: NodeJS.WriteStream): TextSink {
  // `fairway … | head` closes the pipe: output stops, without an error.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(ExitCode.Ok);
    // A server goes on without the messages that a full disk does not take.
    if (stream === process.stderr) return;
    process.stderr.write(`error: the output cannot be written: ${error.message}\n`);
    process.exit(ExitCode.Failed);
  });
  // Without a known width, a terminal can't be redrawn.
  return { write: (text) => void stream.write(text), isTerminal: stream.isTTY && stream.columns > 0 };
}

async function confirmOnTerminal(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
