import type { Container, Pod } from '@fairway/kube/kinds/generated/types';
import { behaviorsOf, type ContainerBehavior } from './container-behavior.ts';
import { type ContainerMoment, containerAt } from './container-timeline.ts';
import { isMissing } from './images.ts';
import type { Files } from './shell/run-script.ts';
import { subPathProblem } from './sub-path.ts';

/** The node, address and start time of a pod. */
export interface PodPlacement {
  readonly startedMs: number;
  readonly nowMs: number;
  readonly hostIp: string | undefined;
  readonly podIp: string | undefined;
  /** Files on volumes when it started. */
  readonly files?: Files;
}

/** Reason and message of a waiting container's state. */
export interface Obstacle {
  readonly reason: string;
  readonly message: string;
}

export interface NamedMoment {
  readonly container: Container;
  /** Undefined while it waits for preceding containers, or can't be created. */
  readonly moment: ContainerMoment | undefined;
  /** Why it can't be created although no preceding container blocks it. */
  readonly obstacle: Obstacle | undefined;
  /** Files that it has created so far. */
  readonly touched: readonly string[];
}

export interface InitMoments {
  readonly moments: readonly NamedMoment[];
  /** When all init containers were done and the others could start; undefined before that. */
  readonly doneMs: number | undefined;
  readonly hasFailed: boolean;
  /** Including files created by init containers. */
  readonly files: Files;
  readonly touched: readonly string[];
}

export function initMoments(pod: Pod, { startedMs, nowMs, files = new Set<string>() }: PodPlacement): InitMoments {
  const { spec } = pod;
  const moments: NamedMoment[] = [];
  const touched = new Set<string>();
  const present: Files = { has: (file) => files.has(file) || touched.has(file) };
  let nextStartMs: number | undefined = startedMs;
  let hasFailed = false;
  for (const container of spec.initContainers ?? []) {
    if (nextStartMs === undefined) {
      moments.push(waiting(container, undefined));
      continue;
    }
    const obstacle = obstacleOf(container, pod);
    if (obstacle !== undefined) {
      moments.push(waiting(container, obstacle));
      nextStartMs = undefined;
      continue;
    }
    const isSidecar = container.restartPolicy === 'Always';
    const behaviors = behaviorsOf(container, pod, 'init', present);
    const isRestarted = (exitCode: number) => isSidecar || (exitCode !== 0 && spec.restartPolicy !== 'Never');
    const moment = containerAt(behaviors, isRestarted, nextStartMs, nowMs);
    const own = touchedUntil(behaviors, moment);
    moments.push({ container, moment, obstacle: undefined, touched: own });
    for (const file of own) touched.add(file);
    if (isSidecar) continue;
    const isDone = moment.phase === 'terminated' && moment.termination.exitCode === 0;
    hasFailed ||= moment.phase === 'terminated' && !isDone;
    nextStartMs = isDone ? moment.termination.finishedMs : undefined;
  }
  return { moments, doneMs: nextStartMs, hasFailed, files: present, touched: [...touched] };
}

/** State of a container that starts after the init containers. */
export function appMoment(pod: Pod, container: Container, startMs: number, nowMs: number, files: Files): NamedMoment {
  const obstacle = obstacleOf(container, pod);
  if (obstacle !== undefined) return waiting(container, obstacle);
  const { restartPolicy } = pod.spec;
  const isRestarted = (exitCode: number) =>
    restartPolicy === 'OnFailure' ? exitCode !== 0 : restartPolicy !== 'Never';
  const behaviors = behaviorsOf(container, pod, 'app', files);
  const moment = containerAt(behaviors, isRestarted, startMs, nowMs);
  return { container, moment, obstacle: undefined, touched: touchedUntil(behaviors, moment) };
}

/** A container that has not been created. */
export function waiting(container: Container, obstacle: Obstacle | undefined): NamedMoment {
  return { container, moment: undefined, obstacle, touched: [] };
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

/** Based on the starts so far. */
function touchedUntil(behaviors: readonly ContainerBehavior[], { restarts }: ContainerMoment): readonly string[] {
  return behaviors.slice(0, restarts + 1).flatMap(({ touched }) => touched);
}

export function phaseOf(init: InitMoments, app: readonly NamedMoment[]): string {
  if (init.hasFailed) return 'Failed';
  if (init.doneMs === undefined || app.some(({ obstacle }) => obstacle !== undefined)) return 'Pending';
  const ended = app.flatMap(({ moment }) => (moment?.phase === 'terminated' ? [moment.termination.exitCode] : []));
  if (ended.length < app.length) return 'Running';
  return ended.some((exitCode) => exitCode !== 0) ? 'Failed' : 'Succeeded';
}
