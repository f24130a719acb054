import { formatTime } from '@fairway/base/clock';
import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
} from '@fairway/kube/kinds/generated/types';
import { containerId, imageIdOf } from './container-ids.ts';
import { earliestDefined, type Termination } from './container-timeline.ts';
import { ephemeralStatuses } from './ephemeral-statuses.ts';
import {
  appSnapshot,
  type InitSnapshots,
  initSnapshots,
  type NamedSnapshot,
  type PodPlacement,
  phaseOf,
  waiting,
} from './pod-snapshots.ts';

export interface PodSnapshot {
  readonly status: PodStatus;
  /** When the status next changes with time; undefined for never. */
  readonly nextChangeMs: number | undefined;
  /** Files that its containers have created on volumes. */
  readonly touchedFiles: readonly string[];
}

/** The status of a pod on a hollow node at a given time, as kubelet would report it. Unchanged conditions keep their times. */
export function podStatusAt(pod: Pod, placement: PodPlacement): PodSnapshot {
  const { startedMs, nowMs } = placement;
  const deadlineMs = deadlineOf(pod, startedMs);
  if (deadlineMs !== undefined && nowMs >= deadlineMs) {
    const status = stoppedStatus(pod, placement, deadlineMs, DEADLINE_EXCEEDED);
    return { status, nextChangeMs: undefined, touchedFiles: [] };
  }
  const init = initSnapshots(pod, placement);
  const app = (pod.spec.containers ?? []).map((container): NamedSnapshot => {
    const readyMs = init.doneMs;
    if (readyMs === undefined) return waiting(container, undefined);
    return appSnapshot(pod, container, readyMs, nowMs, init.files);
  });
  const phase = phaseOf(init, app);
  const changesMs = [...init.snapshots, ...app].map(({ snapshot }) => snapshot?.nextChangeMs);
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  return {
    status: buildStatus(pod, placement, phase, init, app),
    nextChangeMs: isOver ? undefined : earliestDefined(...changesMs, deadlineMs),
    touchedFiles: [...init.touchedFiles, ...app.flatMap(({ touchedFiles }) => touchedFiles)],
  };
}

/** The status of a pod whose containers were not created because something they need is missing. */
export function blockedPodStatus(pod: Pod, { hostIp, nowMs }: Pick<PodPlacement, 'hostIp' | 'nowMs'>): PodStatus {
  const containers = pod.spec.containers ?? [];
  const held = ({ name, image = '' }: Container): ContainerStatus => ({
    name,
    image,
    imageID: '',
    restartCount: 0,
    started: false,
    ready: false,
    state: { waiting: { reason: 'ContainerCreating' } },
    lastState: {},
  });
  const message = `containers with unready status: [${containers.map(({ name }) => name).join(' ')}]`;
  const unready: Finding = { status: 'False', reason: 'ContainersNotReady', message };
  return {
    phase: 'Pending',
    ...addresses({ hostIp, podIp: undefined }),
    conditions: conditions(pod, nowMs, {
      PodReadyToStartContainers: { status: 'False' },
      Ready: unready,
      ContainersReady: unready,
    }),
    containerStatuses: containers.map(held),
  };
}

/** The status of a pod whose containers were stopped at `stoppedMs`. */
export function stoppedPodStatus(pod: Pod, placement: PodPlacement, stoppedMs: number): PodStatus {
  return stoppedStatus(pod, placement, stoppedMs, undefined);
}

const DEADLINE_EXCEEDED = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};
/** 128 + SIGTERM: the exit code of a program that does not handle the signal. */
const KILLED_EXIT_CODE = 143;

function deadlineOf({ spec }: Pod, startedMs: number): number | undefined {
  return spec.activeDeadlineSeconds === undefined ? undefined : startedMs + spec.activeDeadlineSeconds * 1000;
}

function buildStatus(
  pod: Pod,
  placement: PodPlacement,
  phase: string,
  init: InitSnapshots,
  app: readonly NamedSnapshot[],
): PodStatus {
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const statuses = app.map((named) => containerStatus(pod, named));
  const initStatuses = init.snapshots.map((named) => containerStatus(pod, named, isOver));
  const sidecarsReady = init.snapshots.every(
    ({ container }, index) => container.restartPolicy !== 'Always' || initStatuses[index]?.ready,
  );
  const unready = statuses.filter(({ ready }) => !ready).map(({ name }) => name);
  const isReady = !isOver && unready.length === 0 && sidecarsReady;
  const reason = phase === 'Succeeded' ? 'PodCompleted' : phase === 'Failed' ? 'PodFailed' : 'ContainersNotReady';
  const readiness: Finding = isReady
    ? { status: 'True' }
    : {
        status: 'False',
        reason,
        ...(!isOver && { message: `containers with unready status: [${unready.join(' ')}]` }),
      };
  const unfinished = init.snapshots
    .filter(({ snapshot }) => snapshot?.phase !== 'terminated' || snapshot.termination.exitCode !== 0)
    .map(({ container }) => container.name);
  const initialized: Finding =
    init.doneMs !== undefined
      ? { status: 'True', ...(phase === 'Succeeded' && { reason }) }
      : {
          status: 'False',
          reason: 'ContainersNotInitialized',
          message: `containers with incomplete status: [${unfinished.join(' ')}]`,
        };
  return {
    phase,
    ...addresses(placement),
    startTime: formatTime(placement.startedMs),
    conditions: conditions(pod, placement.nowMs, {
      PodReadyToStartContainers: { status: isOver ? 'False' : 'True' },
      Initialized: initialized,
      Ready: withGates(pod, readiness),
      ContainersReady: readiness,
    }),
    ...(initStatuses.length > 0 && { initContainerStatuses: initStatuses }),
    containerStatuses: statuses,
    ...(phase === 'Running' && ephemeralStatuses(pod, placement)),
  };
}

interface Finding {
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** A pod with readiness gates is ready only once their conditions are true. */
function withGates(pod: Pod, readiness: Finding): Finding {
  const isTrue = (type: string) =>
    pod.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
  const closed = (pod.spec.readinessGates ?? []).map((gate) => gate.conditionType).filter((type) => !isTrue(type));
  if (readiness.status === 'False' || closed.length === 0) return readiness;
  const message = closed.map((type) => `corresponding condition of pod readiness gate "${type}" does not exist.`);
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: message.join(', ') };
}

function conditions(pod: Pod, nowMs: number, findings: Readonly<Record<string, Finding>>): PodCondition[] {
  return Object.entries(findings).map(([type, finding]) => {
    const before = pod.status?.conditions?.find((condition) => condition.type === type);
    const isSame = before?.status === finding.status && before.lastTransitionTime !== undefined;
    return {
      type,
      ...finding,
      lastTransitionTime: isSame ? (before.lastTransitionTime ?? formatTime(nowMs)) : formatTime(nowMs),
    };
  });
}

function addresses({ hostIp, podIp }: Pick<PodPlacement, 'hostIp' | 'podIp'>): PodStatus {
  return {
    ...(hostIp !== undefined && { hostIP: hostIp, hostIPs: [{ ip: hostIp }] }),
    ...(podIp !== undefined && { podIP: podIp, podIPs: [{ ip: podIp }] }),
  };
}

function containerStatus(pod: Pod, named: NamedSnapshot, isPodOver = false): ContainerStatus {
  const { container, snapshot } = named;
  const { name, image = '' } = container;
  const restartCount = snapshot?.restarts ?? 0;
  const isRunning = snapshot?.phase === 'running' && !isPodOver;
  const isDoneInit = snapshot?.phase === 'terminated' && snapshot.termination.exitCode === 0;
  const isInit = pod.spec.initContainers?.includes(container) ?? false;
  return {
    name,
    image,
    imageID: snapshot === undefined ? '' : imageIdOf(image),
    ...(snapshot !== undefined && { containerID: containerId(pod, name, restartCount) }),
    restartCount,
    started: isRunning,
    ready: isInit && container.restartPolicy !== 'Always' ? isDoneInit : isRunning && snapshot.isReady,
    state: containerState(pod, named),
    lastState:
      snapshot?.last === undefined ? {} : { terminated: terminated(pod, name, snapshot.last, restartCount - 1) },
  };
}

function containerState(pod: Pod, { container: { name }, snapshot, obstacle }: NamedSnapshot): ContainerState {
  switch (snapshot?.phase) {
    case undefined:
      return { waiting: obstacle ?? { reason: 'PodInitializing' } };
    case 'running':
      return { running: { startedAt: formatTime(snapshot.startedMs) } };
    case 'terminated':
      return { terminated: terminated(pod, name, snapshot.termination, snapshot.restarts) };
    case 'backOff': {
      const seconds = snapshot.delayMs / 1000;
      const delay = seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
      const { name: podName, namespace, uid } = pod.metadata;
      const message = `back-off ${delay} restarting failed container=${name} pod=${podName}_${namespace}(${uid})`;
      return { waiting: { reason: 'CrashLoopBackOff', message } };
    }
  }
}

function terminated(pod: Pod, name: string, termination: Termination, restarts: number) {
  const { startedMs, finishedMs, exitCode, message } = termination;
  return {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    ...(message && { message }),
    startedAt: formatTime(startedMs),
    finishedAt: formatTime(finishedMs),
    containerID: containerId(pod, name, restarts),
  };
}

/** The status after all running containers have been stopped; a pod that had not completed has failed. */
function stoppedStatus(
  pod: Pod,
  placement: PodPlacement,
  stoppedMs: number,
  cause: { readonly reason: string; readonly message: string } | undefined,
): PodStatus {
  const before = podStatusAt(withoutDeadline(pod), { ...placement, nowMs: stoppedMs }).status;
  const stop = (container: ContainerStatus): ContainerStatus => {
    if (container.state?.terminated !== undefined) return { ...container, ready: false };
    const startedAt = container.state?.running?.startedAt ?? formatTime(stoppedMs);
    const ended = { exitCode: KILLED_EXIT_CODE, reason: 'Error', startedAt, finishedAt: formatTime(stoppedMs) };
    return { ...container, ready: false, started: false, state: { terminated: ended } };
  };
  const isOver = before.phase === 'Succeeded' || before.phase === 'Failed';
  const phase = isOver ? before.phase : 'Failed';
  const readiness: Finding = { status: 'False', reason: phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' };
  return {
    ...before,
    ...(phase !== undefined && { phase }),
    ...cause,
    conditions: conditions(pod, placement.nowMs, {
      PodReadyToStartContainers: { status: 'False' },
      Initialized: { status: 'True' },
      Ready: readiness,
      ContainersReady: readiness,
    }),
    ...(before.initContainerStatuses && { initContainerStatuses: before.initContainerStatuses.map(stop) }),
    containerStatuses: (before.containerStatuses ?? []).map(stop),
  };
}

function withoutDeadline(pod: Pod): Pod {
  const { activeDeadlineSeconds: _deadline, ...spec } = pod.spec;
  return { ...pod, spec };
}
