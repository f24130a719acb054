import type { Container, Pod, Probe } from '@fairway/kube/kinds/generated/types';
import { parseDurationMs } from './duration.ts';
import { isShell } from './images.ts';
import { environmentOf } from './shell/container-environment.ts';
import { type EndState, type Files, type ProgramEnvironment, runProgram, runScript } from './shell/run-script.ts';

/** How a hollow container behaves once it has started. */
export interface ContainerBehavior {
  /** How long it runs before it exits; undefined: forever. */
  readonly exitAfterMs: number | undefined;
  readonly exitCode: number;
  /** Time from its start until its readiness probe succeeds; undefined: never. */
  readonly readyAfterMs: number | undefined;
  /** Files that it creates on volumes. */
  readonly touchedFiles: readonly string[];
  /** Its termination message, if it has any. */
  readonly message?: string | undefined;
}

/** Pod annotations that set how its containers behave. Durations are Go's: `500ms`, `5s`, `1m30s`. */
export const PodAnnotation = {
  exitAfter: 'hollow.fairway.dev/exit-after',
  exitCode: 'hollow.fairway.dev/exit-code',
  /** A duration or `never`. */
  readyAfter: 'hollow.fairway.dev/ready-after',
  /** From SIGTERM to exit; immediately by default. */
  stopAfter: 'hollow.fairway.dev/stop-after',
} as const;

type Annotations = Readonly<Record<string, string>> | undefined;

/** Later starts behave like the last of these. */
const MAX_RUNS = 6;
const MAX_ARGUMENT_CHARS = 131_072;
const DEFAULT_MESSAGE_PATH = '/dev/termination-log';
const MAX_LOGGED_MESSAGE_LENGTH = 2048;

/**
 * How a container of the pod behaves at each start; later starts behave like the last one. Taken from annotations, or
 * from a simple command (`sleep 3`, `exit 1`, `true`, and scripts of these in `sh -c`, with `if`, variables and marker
 * files on volumes). By default it runs forever, except that an init container completes immediately. `files` exist
 * when the pod starts.
 */
export function behaviorsOf(
  container: Container,
  pod: Pod,
  role: 'app' | 'init',
  files: Files,
): readonly [ContainerBehavior, ...ContainerBehavior[]] {
  const { annotations } = pod.metadata;
  const readyAfterMs = readyAfterOf(container, annotations);
  const isSidecar = role === 'init' && container.restartPolicy === 'Always';
  const exitAfter = annotations?.[PodAnnotation.exitAfter];
  if (role === 'app' && exitAfter !== undefined) {
    const exitCode = Number.parseInt(annotations?.[PodAnnotation.exitCode] ?? '0', 10) || 0;
    return [{ exitAfterMs: parseDurationMs(exitAfter), exitCode, readyAfterMs, touchedFiles: [] }];
  }
  const terminations = terminationsOf(container, pod, files);
  const [first, ...others] = terminations.map(
    ({ exitAfterMs, exitCode, touchedFiles, ...endDetails }): ContainerBehavior => {
      const message = messageOf(container, { exitCode, ...endDetails });
      return { exitAfterMs, exitCode, touchedFiles, readyAfterMs, message };
    },
  );
  if (first !== undefined) return [first, ...others];
  const exitAfterMs = role === 'init' && !isSidecar ? 0 : undefined;
  return [{ exitAfterMs, exitCode: 0, readyAfterMs, touchedFiles: [] }];
}

/** The behavior at each successive start, for as long as starts may differ; empty if the command is not supported. */
function terminationsOf(container: Container, pod: Pod, files: Files): readonly EndState[] {
  const terminations: EndState[] = [];
  const createdFiles = new Set<string>();
  const present: Files = { has: (file) => files.has(file) || createdFiles.has(file) };
  for (let start = 0; start < MAX_RUNS; start++) {
    const endState = terminationOf(container, environmentOf(container, pod, present, start));
    if (endState === undefined) break;
    terminations.push(endState);
    for (const file of endState.touchedFiles) createdFiles.add(file);
    if (!endState.isRandom && endState.touchedFiles.length === 0) break;
  }
  return terminations;
}

/** Read from a file or the log, as in kubelet. */
function messageOf(
  { terminationMessagePath = DEFAULT_MESSAGE_PATH, terminationMessagePolicy }: Container,
  { exitCode, printed, written }: Pick<EndState, 'exitCode' | 'printed' | 'written'>,
): string | undefined {
  const message = written.get(terminationMessagePath);
  if (message) return message;
  if (terminationMessagePolicy !== 'FallbackToLogsOnError' || exitCode === 0) return undefined;
  return printed?.slice(-MAX_LOGGED_MESSAGE_LENGTH) || undefined;
}

function terminationOf(
  { command = [], args = [], image, stdin = false }: Container,
  environment: ProgramEnvironment,
): EndState | undefined {
  const words = withVariables([...command, ...args], environment);
  if (words === undefined) return undefined;
  if (words.length === 0) return isShell(image) && !stdin ? runProgram(['true'], environment) : undefined;
  const [program = '', ...rest] = words;
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (!['sh', 'bash', 'ash', 'dash'].includes(name)) return runProgram(words, environment);
  const flag = rest.findIndex((word) => /^-[a-z]*c$/.test(word));
  const script = flag === -1 ? undefined : rest[flag + 1];
  return script ? runScript(script, (rest[flag] ?? '').includes('e'), environment) : undefined;
}

/** With `$(NAME)` expanded; undefined if the result exceeds Linux's limit. */
function withVariables(words: readonly string[], { variables }: ProgramEnvironment): readonly string[] | undefined {
  let chars = 0;
  const valueOf = (text: string, name: string) => {
    const value = chars > MAX_ARGUMENT_CHARS ? text : (variables.get(name) ?? text);
    chars += value.length;
    return value;
  };
  const expanded = words.map((word) => word.replaceAll(/\$\(([A-Za-z_]\w*)\)/g, valueOf));
  return chars > MAX_ARGUMENT_CHARS ? undefined : expanded;
}

function readyAfterOf({ readinessProbe, startupProbe }: Container, annotations: Annotations): number | undefined {
  const stated = annotations?.[PodAnnotation.readyAfter];
  if (stated === 'never') return undefined;
  if (stated !== undefined) return parseDurationMs(stated) ?? 0;
  if (readinessProbe !== undefined && alwaysFails(readinessProbe)) return undefined;
  const seconds = (readinessProbe?.initialDelaySeconds ?? 0) + (startupProbe?.initialDelaySeconds ?? 0);
  return seconds * 1000;
}

/**
 * A container's files and variables are unknown when a probe runs, so only commands like `false` are certain to fail.
 */
const UNKNOWN: ProgramEnvironment = {
  variables: new Map(),
  hasUnknownVariables: true,
  fileAt: () => undefined,
  files: new Set(),
  random: () => 0,
};

function alwaysFails({ exec }: Probe): boolean {
  const endState = exec?.command?.length ? terminationOf({ name: '', command: exec.command }, UNKNOWN) : undefined;
  return endState !== undefined && !endState.isRandom && endState.exitAfterMs !== undefined && endState.exitCode !== 0;
}
