import type { Container } from '@fairway/kube/kinds/generated/types';

/** How a hollow container behaves once it has started. */
export interface ContainerBehavior {
  /** How long it runs before it exits; undefined: forever. */
  readonly exitAfterMs: number | undefined;
  readonly exitCode: number;
  /** From its start until its readiness probe succeeds; undefined: never. */
  readonly readyAfterMs: number | undefined;
}

/** Pod annotations that set how its containers behave. Durations are Go's: `500ms`, `5s`, `1m30s`. */
export const PodAnnotation = {
  exitAfter: 'hollow.fairway.dev/exit-after',
  exitCode: 'hollow.fairway.dev/exit-code',
  /** Or `never`. */
  readyAfter: 'hollow.fairway.dev/ready-after',
  /** From SIGTERM to exit; immediately by default. */
  stopAfter: 'hollow.fairway.dev/stop-after',
} as const;

type Annotations = Readonly<Record<string, string>> | undefined;

const FOR_EVER: ContainerBehavior = { exitAfterMs: undefined, exitCode: 0, readyAfterMs: 0 };
const DURATION_UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Commands that print something and exit 0. */
const BRIEF_COMMANDS = new Set(['true', ':', 'echo', 'printf', 'date', 'env', 'hostname', 'uname', 'pwd', 'ls', 'cat']);

/**
 * How a container of the pod behaves: from annotations, else from a simple command (`sleep 3`, `exit 1`, `true`, and
 * sequences of these in `sh -c`), else it runs forever. An init container with neither completes immediately.
 */
export function behaviorOf(container: Container, annotations: Annotations, role: 'app' | 'init'): ContainerBehavior {
  const readyAfterMs = readyAfterOf(container, annotations);
  const isSidecar = role === 'init' && container.restartPolicy === 'Always';
  const exitAfter = annotations?.[PodAnnotation.exitAfter];
  if (role === 'app' && exitAfter !== undefined) {
    const exitCode = Number.parseInt(annotations?.[PodAnnotation.exitCode] ?? '0', 10);
    return { exitAfterMs: parseDurationMs(exitAfter), exitCode: exitCode || 0, readyAfterMs };
  }
  const ending = endingOf([...(container.command ?? []), ...(container.args ?? [])]);
  if (ending !== undefined) return { ...ending, readyAfterMs };
  return role === 'init' && !isSidecar ? { ...FOR_EVER, exitAfterMs: 0, readyAfterMs } : { ...FOR_EVER, readyAfterMs };
}

/** `1m30s` → 90000; undefined if it is not a duration. */
export function parseDurationMs(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return text === '0' ? 0 : undefined;
  let sumMs = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    sumMs += Number(amount) * (DURATION_UNITS_MS[unit ?? ''] ?? 0);
  }
  return sumMs;
}

function readyAfterOf({ readinessProbe, startupProbe }: Container, annotations: Annotations): number | undefined {
  const stated = annotations?.[PodAnnotation.readyAfter];
  if (stated === 'never') return undefined;
  if (stated !== undefined) return parseDurationMs(stated) ?? 0;
  const seconds = (readinessProbe?.initialDelaySeconds ?? 0) + (startupProbe?.initialDelaySeconds ?? 0);
  return seconds * 1000;
}

interface Ending {
  readonly exitAfterMs: number | undefined;
  readonly exitCode: number;
}

function endingOf(words: readonly string[]): Ending | undefined {
  const [program = '', ...rest] = words;
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (['sh', 'bash', 'ash', 'dash'].includes(name)) {
    const script = rest.find((word, index) => /^-[a-z]*c$/.test(rest[index - 1] ?? '') && word !== '');
    return script === undefined ? undefined : endingOfScript(script);
  }
  return words.length === 0 ? undefined : endingOfCommand([name, ...rest]);
}

/** A script of simple commands; an unknown one makes the whole script run forever. */
function endingOfScript(script: string): Ending | undefined {
  let exitAfterMs = 0;
  let exitCode = 0;
  for (const line of script.split(/\s*(?:;|&&|\n)\s*/)) {
    const words = line.trim().split(/\s+/);
    if (line.trim() === '' || /^set\b/.test(line.trim())) continue;
    if (words[0] === 'exit') return { exitAfterMs, exitCode: Number.parseInt(words[1] ?? `${exitCode}`, 10) || 0 };
    const ending = endingOfCommand(words);
    if (ending === undefined) return undefined;
    if (ending.exitAfterMs === undefined) return ending;
    exitAfterMs += ending.exitAfterMs;
    exitCode = ending.exitCode;
  }
  return { exitAfterMs, exitCode };
}

function endingOfCommand([name = '', argument = '']: readonly string[]): Ending | undefined {
  if (name === 'false') return { exitAfterMs: 0, exitCode: 1 };
  if (BRIEF_COMMANDS.has(name)) return { exitAfterMs: 0, exitCode: 0 };
  if (name !== 'sleep') return undefined;
  if (argument === 'infinity' || argument === 'inf') return { exitAfterMs: undefined, exitCode: 0 };
  const exitAfterMs = /^\d+(\.\d+)?$/.test(argument) ? Number(argument) * 1000 : parseDurationMs(argument);
  return exitAfterMs === undefined ? undefined : { exitAfterMs, exitCode: 0 };
}
