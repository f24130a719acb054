import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { Informer } from '@fairway/kube/client/informer';
import type { Pod, PodStatus } from '@fairway/kube/kinds/generated/types';
import { Pods } from '@fairway/kube/kinds/resources';
import type { Amounts } from '@fairway/kube/object/pod-resources';
import { hasPortConflict, hostPorts } from '@fairway/scheduling/host-ports';
import { PodAnnotation } from './container-behavior.ts';
import { parseDurationMs } from './duration.ts';
import { HostFiles } from './host-files.ts';
import type { NodeVolumes } from './node-volumes.ts';
import type { PodAddresses } from './pod-addresses.ts';
import { PodReporter, type PodReporterOptions } from './pod-reporter.ts';
import {
  type Allocation,
  type AllocationResult,
  allocate,
  previousAllocation,
  withAllocation,
  withResources,
} from './pod-resize.ts';
import type { PodPlacement } from './pod-snapshots.ts';
import { blockedPodStatus, podStatusAt, stoppedPodStatus } from './pod-status.ts';
import type { Files } from './shell/run-script.ts';
import { trim } from './trimmed-pod.ts';

export interface PodRunnerOptions extends PodReporterOptions {
  readonly nodeName: string;
  readonly hostIp: string | undefined;
  /** Resolves when the node has a pod CIDR. */
  readonly addresses: () => Promise<PodAddresses>;
  /** Whether its kubelet resizes pods and reports allocated resources (since 1.33). */
  readonly resizes: boolean;
  /** Resources on the node for pods. */
  readonly allocatable: () => Amounts;
  readonly volumes: NodeVolumes;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** What is tracked for a pod in addition to the pod itself. */
interface RunningPod {
  pod: Pod;
  startedMs: number | undefined;
  podIp: string | undefined;
  /** Files on the node when the pod started. */
  files: Files | undefined;
  /** Current allocation of its containers. */
  allocated: AllocationResult | undefined;
  /** When the deletion was observed. */
  stopSeenMs: number | undefined;
  timer: Timer | undefined;
  isSyncing: boolean;
  isDirty: boolean;
  failures: number;
  /** Number of failed volume checks. */
  volumeChecks: number;
}

const RETRY_BASE_MS = 1000;
const RETRY_CAP_MS = 60_000;
/** Interval of volume checks. */
const BLOCKED_BASE_MS = 250;
const BLOCKED_CAP_MS = 10_000;
/** Kubelet's admission message. */
const PORT_CONFLICT: PodStatus = {
  phase: 'Failed',
  reason: 'NodePorts',
  message: "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
};

/**
 * Runs the pods bound to a node: watches them, reports their simulated status, and terminates them when deleted. What a
 * pod does is computed from its spec and start time, so nothing is lost when the process restarts.
 */
export class PodRunner {
  readonly #options: PodRunnerOptions;
  readonly #informer: Informer<Pod>;
  readonly #reporter: PodReporter;
  readonly #running = new Map<string, RunningPod>();
  readonly #files = new HostFiles();
  #signal: AbortSignal | undefined;

  constructor(options: PodRunnerOptions) {
    const { client, nodeName, clock, random, log } = options;
    this.#options = options;
    this.#reporter = new PodReporter(options);
    this.#informer = new Informer(client.resource(Pods), {
      fieldSelector: `spec.nodeName=${nodeName}`,
      trim,
      clock,
      random,
      log,
    });
    this.#informer.addHandler({
      onAdd: (pod) => this.#addPod(pod),
      onUpdate: (_, pod) => this.#addPod(pod),
      onDelete: (pod) => this.#removePod(pod),
    });
  }

  /** The number of pods, including finished ones. */
  get size(): number {
    return this.#running.size;
  }

  /** Runs pods until the signal aborts. */
  start(signal: AbortSignal): void {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#stop(), { once: true });
    this.#informer.start(signal);
  }

  #stop(): void {
    for (const running of this.#running.values()) running.timer?.cancel();
    this.#running.clear();
  }

  #addPod(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const running = this.#running.get(uid) ?? newRunningPod(pod);
    running.pod = pod;
    this.#running.set(uid, running);
    this.#sync(running);
  }

  #removePod(pod: Pod): void {
    const running = this.#running.get(pod.metadata.uid ?? '');
    if (running === undefined) return;
    running.timer?.cancel();
    this.#running.delete(pod.metadata.uid ?? '');
    this.#options.volumes.release(pod.metadata.uid ?? '');
    this.#retryDeferred();
    const { podIp } = running;
    if (podIp !== undefined) void this.#options.addresses().then((addresses) => addresses.release(podIp));
  }

  /** Updates the pod's status; runs again if something changes in the meantime. */
  #sync(running: RunningPod): void {
    running.isDirty = true;
    if (running.isSyncing) return;
    running.isSyncing = true;
    void this.#syncUntilClean(running);
  }

  async #syncUntilClean(running: RunningPod): Promise<void> {
    while (running.isDirty && this.#isCurrent(running)) {
      running.isDirty = false;
      running.timer?.cancel();
      running.timer = undefined;
      try {
        await this.#step(running);
        running.failures = 0;
      } catch (error) {
        if (this.#signal?.aborted) return;
        this.#retryLater(running, error);
      }
    }
    running.isSyncing = false;
  }

  #isCurrent(running: RunningPod): boolean {
    return !this.#signal?.aborted && this.#running.get(running.pod.metadata.uid ?? '') === running;
  }

  async #step(running: RunningPod): Promise<void> {
    const { pod } = running;
    if (pod.metadata.deletionTimestamp !== undefined) return this.#end(running);
    if (isOver(pod)) {
      this.#retryDeferred();
      return this.#options.volumes.release(pod.metadata.uid ?? '');
    }
    if (this.#isRejected(running)) return this.#report(running, PORT_CONFLICT);
    if (await this.#isBlocked(running)) return;
    const placement = await this.#place(running);
    const { status, nextChangeMs, touchedFiles } = podStatusAt(pod, placement);
    this.#files.add(touchedFiles);
    await this.#report(running, this.#options.resizes ? this.#applyResize(running, status, placement.nowMs) : status);
    if (nextChangeMs !== undefined) this.#wakeAt(running, nextChangeMs);
  }

  /** The status with the pod's allocation; first allocates a pending request if it fits. */
  #applyResize(running: RunningPod, status: PodStatus, nowMs: number): PodStatus {
    const { pod } = running;
    const before = allocationOf(running);
    running.allocated = allocate(pod, before, () => this.#otherPods(running), this.#options.allocatable());
    if (running.allocated.allocation !== before) this.#retryDeferred();
    return withResources(status, pod, running.allocated, nowMs);
  }

  /** The other pods on the node, with their allocations. */
  #otherPods(running: RunningPod): Pod[] {
    const others = [...this.#running.values()].filter((other) => other !== running && !isOver(other.pod));
    return others.map((other) => withAllocation(other.pod, allocationOf(other)));
  }

  /** Called when pending resizes might fit now. */
  #retryDeferred(): void {
    for (const running of this.#running.values()) if (running.allocated?.pending !== undefined) this.#sync(running);
  }

  /** Whether something other than a scheduler bound the pod to a node where its ports are in use. */
  #isRejected(running: RunningPod): boolean {
    const ports = hostPorts(running.pod);
    if (ports.length === 0 || running.startedMs !== undefined || startOf(running.pod) !== undefined) return false;
    const others = [...this.#running.values()].filter(
      (other) => other !== running && other.startedMs !== undefined && !isOver(other.pod),
    );
    return hasPortConflict(
      ports,
      others.map(({ pod }) => pod),
    );
  }

  /** Whether the pod is waiting for volumes, without which it does not start. */
  async #isBlocked(running: RunningPod): Promise<boolean> {
    const { clock, hostIp, volumes } = this.#options;
    const hasStarted = running.startedMs !== undefined || startOf(running.pod) !== undefined;
    if (hasStarted && volumes.hasVolumesOf(running.pod)) return false;
    const reason = await volumes.missing(running.pod, this.#signal);
    if (hasStarted || reason === undefined) return false;
    await this.#report(running, blockedPodStatus(running.pod, { hostIp, nowMs: clock.now() }));
    running.volumeChecks++;
    this.#wakeAt(running, clock.now() + Math.min(BLOCKED_CAP_MS, BLOCKED_BASE_MS * 2 ** running.volumeChecks));
    return true;
  }

  /** Stops the pod's containers, reports its final status, and deletes the pod. */
  async #end(running: RunningPod): Promise<void> {
    const { pod } = running;
    const { clock } = this.#options;
    running.stopSeenMs ??= clock.now();
    const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    const stopAfterMs = parseDurationMs(pod.metadata.annotations?.[PodAnnotation.stopAfter] ?? '0') ?? 0;
    const endMs = running.stopSeenMs + Math.min(stopAfterMs, graceMs);
    if (clock.now() < endMs) {
      this.#wakeAt(running, endMs);
      return;
    }
    if (!isOver(pod)) {
      const placement = await this.#place(running);
      await this.#report(running, stoppedPodStatus(pod, placement, endMs));
    }
    await this.#reporter.remove(pod, this.#signal);
  }

  async #place(running: RunningPod): Promise<PodPlacement> {
    const { pod } = running;
    const { hostIp, clock, addresses } = this.#options;
    running.startedMs ??= startOf(pod) ?? clock.now();
    if (pod.spec.hostNetwork) running.podIp = hostIp;
    else if (running.podIp === undefined) {
      const free = await addresses();
      this.#claimPreviousAddresses(free);
      running.podIp ??= free.assign(pod.metadata.uid ?? '');
    }
    running.files ??= this.#files.now();
    return { startedMs: running.startedMs, nowMs: clock.now(), hostIp, podIp: running.podIp, files: running.files };
  }

  /** After a restart, pods get their previous addresses before new pods get any: an API server accepts only one address per pod. */
  #claimPreviousAddresses(free: PodAddresses): void {
    for (const each of this.#running.values()) {
      const { spec, status, metadata } = each.pod;
      if (each.podIp !== undefined || !status?.podIP || spec.hostNetwork || isOver(each.pod)) continue;
      each.podIp = free.assign(metadata.uid ?? '', status.podIP);
    }
  }

  async #report(running: RunningPod, found: PodStatus): Promise<void> {
    const status = await this.#reporter.report(running.pod, found, this.#signal);
    // At least as new as the status delivered by the watch.
    if (status !== undefined) running.pod = { ...running.pod, status };
  }

  #wakeAt(running: RunningPod, atMs: number): void {
    const { clock } = this.#options;
    running.timer?.cancel();
    running.timer = clock.after(Math.max(0, atMs - clock.now()), () => this.#sync(running));
  }

  #retryLater(running: RunningPod, error: unknown): void {
    const { clock, random, log } = this.#options;
    const delayMs = Math.min(RETRY_CAP_MS, RETRY_BASE_MS * 2 ** running.failures) * (0.5 + random() / 2);
    running.failures++;
    log.debug({ err: error, pod: running.pod.metadata.name, delayMs }, 'cannot report pod status');
    this.#wakeAt(running, clock.now() + delayMs);
  }
}

function newRunningPod(pod: Pod): RunningPod {
  return {
    pod,
    startedMs: undefined,
    podIp: undefined,
    files: undefined,
    allocated: undefined,
    stopSeenMs: undefined,
    timer: undefined,
    isSyncing: false,
    isDirty: false,
    failures: 0,
    volumeChecks: 0,
  };
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** The current allocation of a pod's containers. */
function allocationOf({ pod, allocated }: RunningPod): Allocation {
  return allocated?.allocation ?? previousAllocation(pod);
}

function startOf({ status }: Pod): number | undefined {
  return status?.startTime === undefined ? undefined : Date.parse(status.startTime);
}
