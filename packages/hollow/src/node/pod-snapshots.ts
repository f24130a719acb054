import type { Container, Pod } from '@fairway/kube/kinds/generated/types';
import { behaviorsOf, type ContainerBehavior } from './container-behavior.ts';
import { type ContainerSnapshot, containerAt } from './container-timeline.ts';
import { isMissing } from './images.ts';
import type { Files } from './shell/run-script.ts';
import { subPathProblem } from './sub-path.ts';

/** A pod's node, address and start time. */
export interface PodPlacement {
  readonly startedMs: number;
  readonly nowMs: number;
  readonly hostIp: string | undefined;
  readonly podIp: string | undefined;
  /** Files on volumes when it started. */
  readonly files?: Files;
}

/** Reason and message of a waiting container. */
export interface Obstacle {
  readonly reason: string;
  readonly message: string;
}

export interface NamedSnapshot {
  readonly container: Container;
  /** Undefined while it waits for earlier containers or can't be created. */
  readonly snapshot: ContainerSnapshot | undefined;
  /** Why it can't be created even though no earlier container blocks it. */
  readonly obstacle: Obstacle | undefined;
  /** Files that it has created so far. */
  readonly touchedFiles: readonly string[];
}

export interface InitSnapshots {
  readonly snapshots: readonly NamedSnapshot[];
  /** When all init containers were done and the others could start; undefined until then. */
  readonly doneMs: number | undefined;
  readonly hasFailed: boolean;
  /** Including files created by init containers. */
  readonly files: Files;
  readonly touchedFiles: readonly string[];
}

export function initSnapshots(pod: Pod, { startedMs, nowMs, files = new Set<string>() }: PodPlacement): InitSnapshots {
  const { spec } = pod;
  const snapshots: NamedSnapshot[] = [];
  const touchedFiles = new Set<string>();
  const present: Files = { has: (file) => files.has(file) || touchedFiles.has(file) };
  let nextStartMs: number | undefined = startedMs;
  let hasFailed = false;
  for (const container of spec.initContainers ?? []) {
    if (nextStartMs === undefined) {
      snapshots.push(waiting(container, undefined));
      continue;
    }
    const obstacle = obstacleOf(container, pod);
    if (obstacle !== undefined) {
      snapshots.push(waiting(container, obstacle));
      nextStartMs = undefined;
      continue;
    }
    const isSidecar = container.restartPolicy === 'Always';
    const behaviors = behaviorsOf(container, pod, 'init', present);
    const isRestarted = (exitCode: number) => isSidecar || (exitCode !== 0 && spec.restartPolicy !== 'Never');
    const snapshot = containerAt(behaviors, isRestarted, nextStartMs, nowMs);
    const own = touchedFilesUntil(behaviors, snapshot);
    snapshots.push({ container, snapshot, obstacle: undefined, touchedFiles: own });
    for (const file of own) touchedFiles.add(file);
    if (isSidecar) continue;
    const isDone = snapshot.phase === 'terminated' && snapshot.termination.exitCode === 0;
    hasFailed ||= snapshot.phase === 'terminated' && !isDone;
    nextStartMs = isDone ? snapshot.termination.finishedMs : undefined;
  }
  return { snapshots, doneMs: nextStartMs, hasFailed, files: present, touchedFiles: [...touchedFiles] };
}

/** State of a container that starts after the init containers. */
export function appSnapshot(
  pod: Pod,
  container: Container,
  startMs: number,
  nowMs: number,
  files: Files,
): NamedSnapshot {
  const obstacle = obstacleOf(container, pod);
  if (obstacle !== undefined) return waiting(container, obstacle);
  const { restartPolicy } = pod.spec;
  const isRestarted = (exitCode: number) =>
    restartPolicy === 'OnFailure' ? exitCode !== 0 : restartPolicy !== 'Never';
  const behaviors = behaviorsOf(container, pod, 'app', files);
  const snapshot = containerAt(behaviors, isRestarted, startMs, nowMs);
  return { container, snapshot, obstacle: undefined, touchedFiles: touchedFilesUntil(behaviors, snapshot) };
}

/** A container that has not been created. */
export function waiting(container: Container, obstacle: Obstacle | undefined): NamedSnapshot {
  return { container, snapshot: undefined, obstacle, touchedFiles: [] };
}

export function missingImage(image = ''): Obstacle {
  return { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` };
}

function obstacleOf(container: Container, pod: Pod): Obstacle | undefined {
  const { image } = container;
  if (isMissing(image)) return missingImage(image);
  const message = subPathProblem(container, pod);
  return message === undefined ? undefined : { reason: 'CreateContainerConfigError', message };
}

/** Files that a container has created on volumes at its starts so far. */
function touchedFilesUntil(
  behaviors: readonly ContainerBehavior[],
  { restarts }: ContainerSnapshot,
): readonly string[] {
  return behaviors.slice(0, restarts + 1).flatMap(({ touchedFiles }) => touchedFiles);
}

export function phaseOf(init: InitSnapshots, app: readonly NamedSnapshot[]): string {
  if (init.hasFailed) return 'Failed';
  if (init.doneMs === undefined || app.some(({ obstacle }) => obstacle !== undefined)) return 'Pending';
  const ended = app.flatMap(({ snapshot }) =>
    snapshot?.phase === 'terminated' ? [snapshot.termination.exitCode] : [],
  );
  if (ended.length < app.length) return 'Running';
  return ended.some((exitCode) => exitCode !== 0) ? 'Failed' : 'Succeeded';
}
