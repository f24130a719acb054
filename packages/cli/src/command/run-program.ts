import { systemClock } from '@fairway/base/clock';
import { ExitCode } from '@fairway/service/exit-code';
import { type Command, CommanderError } from 'commander';
import { printable } from '../output/printable.ts';
import { buildProgram } from '../program.ts';
import type { CliContext, TextSink } from './context.ts';
import { followLauncher } from './launcher.ts';

/** Runs the command in a real process. Resolves with its exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const interrupt = new AbortController();
  const context = processContext(interrupt.signal);
  exitOnSignals(interrupt);
  const stopFollowing = followLauncher(systemClock, ({ pid, name }) => {
    if (interrupt.signal.aborted) return;
    context.stderr.write(`stopping: the parent process ${name} (${pid}) has exited\n`);
    interrupt.abort('launcher');
  });
  // Libraries unref their timers, so nothing else might keep the process alive during a backoff.
  const heartbeat = setInterval(() => {}, HEARTBEAT_MS);
  try {
    const exitCode = await runWith(args, context);
    // A stopped start or completion may still be waiting for something, which must not keep the process alive.
    if (interrupt.signal.aborted || args[0] === '__complete') process.exit(exitCode);
    return exitCode;
  } finally {
    stopFollowing();
    clearInterval(heartbeat);
  }
}

const HEARTBEAT_MS = 60_000;

/** A terminal, npm and a launcher may each forward the same Ctrl-C: signals within this time count as one. */
const DUPLICATE_SIGNAL_MS = 500;

/** The first signal stops the command gracefully, the second ends the process immediately. */
function exitOnSignals(interrupt: AbortController): void {
  let firstSignalMs: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      const nowMs = systemClock.now();
      if (firstSignalMs === undefined) {
        firstSignalMs = nowMs;
        interrupt.abort(name);
      } else if (nowMs - firstSignalMs > DUPLICATE_SIGNAL_MS) process.exit(ExitCode.Interrupted);
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
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return ExitCode.Ok;
      if (error.code !== HELP_ADVICE) await adviseUsage(program, args, { code: error.code, stderr: context.stderr });
      return ExitCode.Usage;
    }
    if (context.signal.aborted) return ExitCode.Interrupted;
    // Loaded on demand because it imports all packages.
    const { explainError } = await import('./explain-error.ts');
    const { message, exitCode, ...explained } = explainError(error);
    const advice = explained.advice ?? (exitCode === ExitCode.Unreachable ? DOCTOR_ADVICE : undefined);
    context.stderr.write(`error: ${printable(message)}\n${advice === undefined ? '' : `  ${printable(advice)}\n`}`);
    if (program.opts<{ debug?: boolean }>().debug && error instanceof Error) context.stderr.write(`${error.stack}\n`);
    return exitCode;
  }
}

/** Advice for a server or cloud that does not respond, if the cause is unknown. */
const DOCTOR_ADVICE = 'run "fairway doctor" to check the kubeconfig, the server and the clouds';

/** Words that do not name a command; commander reports them as excess arguments if the command has subcommands. */
const UNKNOWN_COMMAND: ReadonlySet<string> = new Set(['commander.unknownCommand', 'commander.excessArguments']);

/** A group without a subcommand has already shown its help. */
const HELP_ADVICE = 'commander.help';

/** Suggests the intended command if it can be guessed, otherwise prints the usage. */
async function adviseUsage(
  program: Command,
  args: readonly string[],
  { code, stderr }: Pick<CliContext, 'stderr'> & { readonly code: string },
): Promise<void> {
  const { suggestCommands } = await import('./suggest-command.ts');
  const lines = UNKNOWN_COMMAND.has(code) ? suggestCommands(program, args) : [];
  const { usageLine } = await import('./usage-line.ts');
  const advice = lines.length > 0 ? `did you mean: ${lines.join('\n            or: ')}` : usageLine(program, args);
  stderr.write(`${printable(`  ${advice}`)}\n`);
}

function processContext(signal: AbortSignal): CliContext {
  const ask = async (question: string, isHidden: boolean): Promise<string> => {
    const { askOnTerminal } = await import('./ask.ts');
    return askOnTerminal(question, isHidden, signal);
  };
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
    ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
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
    // A server continues even if a full disk loses its messages.
    if (stream === process.stderr) return;
    process.stderr.write(`error: cannot write output: ${error.message}\n`);
    process.exit(ExitCode.Failed);
  });
  // A terminal can't be redrawn if its width is unknown.
  return { write: (text) => void stream.write(text), isTerminal: stream.isTTY && stream.columns > 0 };
}
