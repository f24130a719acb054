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
import type { PodPlacement } from './pod-moments.ts';
import { PodReporter, type PodReporterOptions } from './pod-reporter.ts';
import { type Allotment, type Allotted, allot, allottedBefore, asAllotted, withResources } from './pod-resize.ts';
import { heldPodStatus, podStatusAt, stoppedPodStatus } from './pod-status.ts';
import type { Files } from './shell/run-script.ts';
import { trim } from './trimmed-pod.ts';

export interface PodRunnerOptions extends PodReporterOptions {
  readonly nodeName: string;
  readonly hostIp: string | undefined;
  /** Resolves when the node has a pod CIDR. */
  readonly addresses: () => Promise<PodAddresses>;
  /** Whether its kubelet resizes pods and reports allocated resources: from 1.33 on. */
  readonly resizes: boolean;
  /** Resources of the node for pods. */
  readonly allocatable: () => Amounts;
  readonly volumes: NodeVolumes;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** State kept per pod besides the pod itself. */
interface RunningPod {
  pod: Pod;
  startedMs: number | undefined;
  podIp: string | undefined;
  /** Files of the node when the pod started. */
  files: Files | undefined;
  /** Current allocation of its containers. */
  allotted: Allotted | undefined;
  /** When the deletion was observed. */
  stopSeenMs: number | undefined;
  timer: Timer | undefined;
  isSyncing: boolean;
  isDirty: boolean;
  failures: number;
  /** How often its volumes were missing. */
  volumeChecks: number;
}

const RETRY_BASE_MS = 1000;
const RETRY_CAP_MS = 60_000;
/** How often to check for volumes. */
const HELD_BASE_MS = 250;
const HELD_CAP_MS = 10_000;
/** Kubelet's admission message. */
const PORTS_TAKEN: PodStatus = {
  phase: 'Failed',
  reason: 'NodePorts',
  message: "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
};

/**
 * Runs the pods that are bound to a node: watches them, reports their simulated status, terminates them when deleted. What a
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
      onAdd: (pod) => this.#take(pod),
      onUpdate: (_, pod) => this.#take(pod),
      onDelete: (pod) => this.#drop(pod),
    });
  }

  /** The number of pods, finished ones included. */
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

  #take(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const running = this.#running.get(uid) ?? newlySeen(pod);
    running.pod = pod;
    this.#running.set(uid, running);
    this.#sync(running);
  }

  #drop(pod: Pod): void {
    const running = this.#running.get(pod.metadata.uid ?? '');
    if (running === undefined) return;
    running.timer?.cancel();
    this.#running.delete(pod.metadata.uid ?? '');
    this.#options.volumes.release(pod.metadata.uid ?? '');
    this.#retryDeferred();
    const { podIp } = running;
    if (podIp !== undefined) void this.#options.addresses().then((addresses) => addresses.release(podIp));
  }

  /** Updates the pod's status; runs once more if something changes meanwhile. */
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
    if (this.#isRejected(running)) return this.#report(running, PORTS_TAKEN);
    if (await this.#isHeld(running)) return;
    const placement = await this.#place(running);
    const { status, nextChangeMs, touched } = podStatusAt(pod, placement);
    this.#files.add(touched);
    await this.#report(running, this.#options.resizes ? this.#resized(running, status, placement.nowMs) : status);
    if (nextChangeMs !== undefined) this.#wakeAt(running, nextChangeMs);
  }

  /** The status with the pod's allocation, after a pending request was allocated if there is room. */
  #resized(running: RunningPod, status: PodStatus, nowMs: number): PodStatus {
    const { pod } = running;
    const before = given(running);
    running.allotted = allot(pod, before, () => this.#besides(running), this.#options.allocatable());
    if (running.allotted.given !== before) this.#retryDeferred();
    return withResources(status, pod, running.allotted, nowMs);
  }

  /** The other pods of the node, with their allocations. */
  #besides(running: RunningPod): Pod[] {
    const others = [...this.#running.values()].filter((other) => other !== running && !isOver(other.pod));
    return others.map((other) => asAllotted(other.pod, given(other)));
  }

  /** Pending resizes may fit now. */
  #retryDeferred(): void {
    for (const running of this.#running.values()) if (running.allotted?.pending !== undefined) this.#sync(running);
  }

  /** Whether it was bound, not by a scheduler, to a node whose ports are taken. */
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

  /** Whether it is waiting for volumes. It does not start before they are available. */
  async #isHeld(running: RunningPod): Promise<boolean> {
    const { clock, hostIp, volumes } = this.#options;
    const hasStarted = running.startedMs !== undefined || startOf(running.pod) !== undefined;
    if (hasStarted && volumes.knows(running.pod)) return false;
    const reason = await volumes.missing(running.pod, this.#signal);
    if (hasStarted || reason === undefined) return false;
    await this.#report(running, heldPodStatus(running.pod, { hostIp, nowMs: clock.now() }));
    running.volumeChecks++;
    this.#wakeAt(running, clock.now() + Math.min(HELD_CAP_MS, HELD_BASE_MS * 2 ** running.volumeChecks));
    return true;
  }

  /** Stops the pod's containers, reports it, and deletes the pod. */
  async #end(running: RunningPod): Promise<void> {
    const { pod } = running;
    const { clock } = this.#options;
    running.stopSeenMs ??= clock.now();
    const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    const wantedMs = parseDurationMs(pod.metadata.annotations?.[PodAnnotation.stopAfter] ?? '0') ?? 0;
    const endMs = running.stopSeenMs + Math.min(wantedMs, graceMs);
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
      this.#claimKnown(free);
      running.podIp ??= free.assign(pod.metadata.uid ?? '');
    }
    running.files ??= this.#files.now();
    return { startedMs: running.startedMs, nowMs: clock.now(), hostIp, podIp: running.podIp, files: running.files };
  }

  /** After a restart, pods get their previous addresses before new pods get any: an API server accepts only one address per pod. */
  #claimKnown(free: PodAddresses): void {
    for (const each of this.#running.values()) {
      const { spec, status, metadata } = each.pod;
      if (each.podIp !== undefined || !status?.podIP || spec.hostNetwork || isOver(each.pod)) continue;
      each.podIp = free.assign(metadata.uid ?? '', status.podIP);
    }
  }

  async #report(running: RunningPod, found: PodStatus): Promise<void> {
    const status = await this.#reporter.report(running.pod, found, this.#signal);
    // The same as delivered by the watch, or newer.
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

function newlySeen(pod: Pod): RunningPod {
  return {
    pod,
    startedMs: undefined,
    podIp: undefined,
    files: undefined,
    allotted: undefined,
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

/** Allocation of its containers. */
function given({ pod, allotted }: RunningPod): Allotment {
  return allotted?.given ?? allottedBefore(pod);
}

function startOf({ status }: Pod): number | undefined {
  return status?.startTime === undefined ? undefined : Date.parse(status.startTime);
}
