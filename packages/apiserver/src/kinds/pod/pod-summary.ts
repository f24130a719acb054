import type { ContainerState, ContainerStatus, Pod } from '@fairway/kube/kinds/generated/types';
import { humanAge } from '../printing/age.ts';

/** What `kubectl get pods` shows for a pod. */
export interface PodSummary {
  /** `Running`, `Init:0/1`, `CrashLoopBackOff`, `Terminating`…. */
  readonly status: string;
  readonly readyContainers: number;
  readonly totalContainers: number;
  readonly restarts: number;
  readonly lastRestart: string | undefined;
}

/** Upstream's printPod: the most specific reason of the pod and its containers. */
export function summarizePod(pod: Pod): PodSummary {
  const status = pod.status ?? {};
  const sidecars = new Set(
    (pod.spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map((c) => c.name),
  );
  const init = summarizeInitContainers(pod, sidecars);
  let reason = init.reason ?? podReason(pod);
  let restarts = init.restarts;
  let ready = init.readySidecars;
  let lastRestart = init.lastRestart;
  if (init.reason === undefined || isConditionTrue(pod, 'Initialized')) {
    const main = summarizeContainers(status.containerStatuses ?? [], init.reason === undefined ? reason : init.reason);
    reason = main.reason === 'Completed' && main.ready > 0 ? runningReason(pod) : main.reason;
    restarts = init.sidecarRestarts + main.restarts;
    lastRestart = latest(init.lastSidecarRestart, main.lastRestart);
    ready += main.ready;
  }
  return {
    status: terminationReason(pod) ?? reason,
    readyContainers: ready,
    totalContainers: pod.spec.containers.length + sidecars.size,
    restarts,
    lastRestart,
  };
}

/** `3`, or `3 (5m ago)` if the time of the last restart is known. */
export function formatRestarts({ restarts, lastRestart }: PodSummary, nowMs: number): string {
  return restarts === 0 || lastRestart === undefined
    ? `${restarts}`
    : `${restarts} (${humanAge(lastRestart, nowMs)} ago)`;
}

function podReason({ status = {} }: Pod): string {
  const isGated = (status.conditions ?? []).some((c) => c.type === 'PodScheduled' && c.reason === 'SchedulingGated');
  if (isGated) return 'SchedulingGated';
  return status.reason || status.phase || '';
}

function runningReason(pod: Pod): string {
  return isConditionTrue(pod, 'Ready') ? 'Running' : 'NotReady';
}

function terminationReason({ metadata, status = {} }: Pod): string | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  if (status.reason === 'NodeLost') return 'Unknown';
  return status.phase === 'Succeeded' || status.phase === 'Failed' ? undefined : 'Terminating';
}

interface InitSummary {
  /** Set while initialisation is in progress or has failed. */
  readonly reason: string | undefined;
  readonly restarts: number;
  readonly lastRestart: string | undefined;
  readonly readySidecars: number;
  readonly sidecarRestarts: number;
  readonly lastSidecarRestart: string | undefined;
}

function summarizeInitContainers(pod: Pod, sidecars: ReadonlySet<string>): InitSummary {
  let restarts = 0;
  let sidecarRestarts = 0;
  let readySidecars = 0;
  let lastRestart: string | undefined;
  let lastSidecarRestart: string | undefined;
  let reason: string | undefined;
  for (const [index, container] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const isSidecar = sidecars.has(container.name);
    restarts += container.restartCount;
    lastRestart = latest(lastRestart, restartOf(container));
    if (isSidecar) {
      sidecarRestarts += container.restartCount;
      lastSidecarRestart = latest(lastSidecarRestart, restartOf(container));
    }
    if (container.state?.terminated?.exitCode === 0) continue;
    if (isSidecar && container.started) {
      if (container.ready) readySidecars++;
      continue;
    }
    reason = initReason(container.state, index, pod.spec.initContainers?.length ?? 0);
    break;
  }
  return { reason, restarts, lastRestart, readySidecars, sidecarRestarts, lastSidecarRestart };
}

function initReason(state: ContainerState | undefined, index: number, count: number): string {
  const { terminated, waiting } = state ?? {};
  if (terminated) return `Init:${terminatedReason(terminated)}`;
  if (waiting?.reason && waiting.reason !== 'PodInitializing') return `Init:${waiting.reason}`;
  return `Init:${index}/${count}`;
}

function summarizeContainers(statuses: readonly ContainerStatus[], podReason: string) {
  let reason = podReason;
  let restarts = 0;
  let ready = 0;
  let lastRestart: string | undefined;
  // The first container's reason takes precedence.
  for (const container of [...statuses].reverse()) {
    restarts += container.restartCount;
    lastRestart = latest(lastRestart, restartOf(container));
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) reason = waiting.reason;
    else if (terminated) reason = terminatedReason(terminated);
    else if (container.ready && running) ready++;
  }
  return { reason, restarts, ready, lastRestart };
}

function terminatedReason(terminated: NonNullable<ContainerState['terminated']>): string {
  if (terminated.reason) return terminated.reason;
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`;
}

function restartOf(container: ContainerStatus): string | undefined {
  return container.lastState?.terminated?.finishedAt;
}

function latest(left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Date.parse(left) >= Date.parse(right) ? left : right;
}

function isConditionTrue(pod: Pod, type: string): boolean {
  return (pod.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}
