import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { UnenforcedFields } from '@fairway/api/admission/unenforced-fields';
import type { AuditObserver } from '@fairway/apiserver/audit/audit-log';
import type { LogLocation } from '@fairway/apiserver/audit/newest-lines';
import type { Store } from '@fairway/apiserver/store/store';
import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { LocalServers } from '@fairway/kube/client/local-servers';
import { tenantLogLocation } from '../audit/tenant-audit-log.ts';
import type { EgressExceptions } from '../process/egress/egress-policy.ts';
import {
  type ControlPlaneRuntime,
  type ControlPlaneSpec,
  type ControlPlaneState,
  type ControlPlaneUsage,
  ONE_COPY,
  type ReviewAccess,
  type ReviewToken,
} from '../runtime.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { ClusterStores, HollowControlPlaneFactory } from './hollow-contract.ts';
import { SimulatedControlPlane } from './simulated-control-plane.ts';
import { UNENFORCED_WHEN_SIMULATED, unsupportedWhenSimulated } from './unsupported-settings.ts';

export interface SimulatedRuntimeOptions {
  readonly createHollow: HollowControlPlaneFactory;
  readonly stores: ClusterStores;
  /** The directory that contains a subdirectory for each cluster that requests audit events. */
  readonly auditFolder: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Exceptions to the destinations that API servers may connect to. */
  readonly egress?: EgressExceptions | undefined;
  /** The registry in which clients in this process find their API servers. */
  readonly locals?: LocalServers | undefined;
  /** Bind address; 127.0.0.1 by default. */
  readonly host?: string;
}

const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;

/** Why the last start failed, and when the next one may be tried. */
interface Failure {
  readonly message: string;
  readonly attempts: number;
  readonly retryAtMs: number;
}

/** State of one cluster's control plane in this process. */
interface Slot {
  store: Store | undefined;
  running: SimulatedControlPlane | undefined;
  /** Fingerprint of the spec that is running, or that failed to start. */
  fingerprint: string | undefined;
  failure: Failure | undefined;
  /** The current token reviewer of its API server. */
  reviews: Pick<ControlPlaneSpec, 'reviewToken' | 'reviewAccess'>;
  /** Timer for the retry of a failed start. */
  retry: Timer | undefined;
  /** The step in progress; steps are serialized. */
  step: Promise<void> | undefined;
  removing: boolean;
}

/** Runs control planes in this process with hollow clusters, for development, tests and demonstrations. */
export class SimulatedRuntime implements ControlPlaneRuntime {
  readonly name = 'simulated';
  readonly spread = ONE_COPY;
  readonly reachesNodes = false;
  readonly reviewsTokens = true;
  readonly #options: SimulatedRuntimeOptions & { readonly host: string };
  readonly #slots = new Map<string, Slot>();
  readonly #listeners = new Set<(clusterUid: string) => void>();
  #closed = false;
  #auditEventsLost = 0;
  readonly #auditObserver: AuditObserver = {
    onWritten: () => {},
    onLost: (_, events) => {
      this.#auditEventsLost += events;
    },
    onWriteFailed: () => {},
  };

  constructor(options: SimulatedRuntimeOptions) {
    this.#options = { host: '127.0.0.1', ...options };
  }

  versions(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async ensure(spec: ControlPlaneSpec): Promise<ControlPlaneState> {
    const { uid } = spec.cluster;
    if (this.#closed) throw new Error('the simulated runtime is closed');
    const slot = this.#slotOf(uid);
    const fingerprint = fingerprintOf(spec);
    slot.reviews = spec;
    if (slot.step === undefined && !slot.removing && this.#isStepDue(slot, fingerprint)) {
      this.#begin(uid, slot, () => this.#replace(slot, spec, fingerprint));
    }
    if (slot.step === undefined) await slot.running?.renewCertificate(spec);
    return stateOf(slot, spec);
  }

  unenforcedFields(): Promise<UnenforcedFields> {
    return Promise.resolve(UNENFORCED_WHEN_SIMULATED);
  }

  /** The control plane only exists in this process: after the process exits, it counts as hibernated. */
  async hibernate(clusterUid: string): Promise<boolean> {
    const slot = this.#slots.get(clusterUid);
    if (slot?.step !== undefined) return false;
    await this.release(clusterUid);
    return true;
  }

  async wipe(clusterUid: string): Promise<boolean> {
    if (!(await this.hibernate(clusterUid))) return false;
    await this.#drop(clusterUid);
    return true;
  }

  async remove(clusterUid: string): Promise<boolean> {
    const slot = this.#slotOf(clusterUid);
    if (slot.step !== undefined) {
      slot.removing = true;
      return false;
    }
    slot.removing = true;
    await this.#halt(slot);
    await this.#drop(clusterUid);
    this.#slots.delete(clusterUid);
    return true;
  }

  /** The control plane only exists in this process, so this stops it. */
  async release(clusterUid: string): Promise<void> {
    const slot = this.#slots.get(clusterUid);
    if (slot === undefined) return;
    await slot.step;
    await this.#halt(slot);
    this.#slots.delete(clusterUid);
  }

  async auditLog(clusterUid: string): Promise<LogLocation | undefined> {
    const isLocal = this.#slots.has(clusterUid) || (await this.#options.stores.list()).includes(clusterUid);
    return isLocal ? tenantLogLocation(this.#auditFolderOf(clusterUid), undefined) : undefined;
  }

  async list(): Promise<readonly string[]> {
    return [...new Set([...this.#slots.keys(), ...(await this.#options.stores.list())])];
  }

  usage(): ControlPlaneUsage {
    const slots = [...this.#slots.values()];
    const running = slots.filter((slot) => slot.running !== undefined).length;
    const auditEventsLost = this.#auditEventsLost;
    return { managed: slots.length, running, restarts: 0, memoryBytes: undefined, auditEventsLost };
  }

  onChange(listener: (clusterUid: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    await Promise.all(
      [...this.#slots.values()].map(async (slot) => {
        await slot.step;
        await this.#halt(slot);
      }),
    );
  }

  async #drop(uid: string): Promise<void> {
    await rm(this.#auditFolderOf(uid), { recursive: true, force: true });
    await this.#options.stores.drop(uid);
  }

  #auditFolderOf(uid: string): string {
    return join(this.#options.auditFolder, uid);
  }

  #slotOf(uid: string): Slot {
    const known = this.#slots.get(uid);
    if (known) return known;
    const slot: Slot = {
      store: undefined,
      running: undefined,
      fingerprint: undefined,
      failure: undefined,
      reviews: {},
      retry: undefined,
      step: undefined,
      removing: false,
    };
    this.#slots.set(uid, slot);
    return slot;
  }

  #isStepDue({ fingerprint, failure }: Slot, desiredFingerprint: string): boolean {
    if (fingerprint !== desiredFingerprint) return true;
    return failure !== undefined && this.#options.clock.now() >= failure.retryAtMs;
  }

  /** Starts a step, and notifies listeners when it has ended. A step never rejects; its error is kept in the slot. */
  #begin(uid: string, slot: Slot, step: () => Promise<void>): void {
    slot.step = step()
      .then(() => {
        slot.failure = undefined;
      })
      .catch((error: unknown) => this.#recordFailure(uid, slot, error))
      .finally(() => {
        slot.step = undefined;
        this.#announce(uid);
      });
  }

  #recordFailure(uid: string, slot: Slot, error: unknown): void {
    const { clock, log } = this.#options;
    const attempts = (slot.failure?.attempts ?? 0) + 1;
    const delayMs = Math.min(MIN_RETRY_MS * 2 ** (attempts - 1), MAX_RETRY_MS);
    const message = error instanceof Error ? error.message : String(error);
    slot.failure = { message, attempts, retryAtMs: clock.now() + delayMs };
    slot.retry = clock.after(delayMs, () => this.#announce(uid));
    log.warn({ err: error, cluster: uid, attempts }, 'a control plane did not start');
  }

  #announce(uid: string): void {
    for (const listener of this.#listeners) listener(uid);
  }

  async #replace(slot: Slot, spec: ControlPlaneSpec, fingerprint: string): Promise<void> {
    const { stores, log } = this.#options;
    // Earlier failures were with a different spec, so they do not affect this one.
    if (slot.fingerprint !== fingerprint) slot.failure = undefined;
    slot.fingerprint = fingerprint;
    slot.retry?.cancel();
    await this.#stop(slot);
    slot.store ??= await stores.open(spec.cluster.uid);
    const reportedSpec = { ...spec, ...deferredReviews(spec, () => slot.reviews) };
    slot.running = await SimulatedControlPlane.start(slot.store, reportedSpec, {
      ...this.#options,
      auditFolder: this.#auditFolderOf(spec.cluster.uid),
      auditObserver: this.#auditObserver,
      log: log.child({ cluster: spec.cluster.uid }),
    });
  }

  async #stop(slot: Slot): Promise<void> {
    const { running } = slot;
    slot.running = undefined;
    await running?.stop();
  }

  async #halt(slot: Slot): Promise<void> {
    slot.retry?.cancel();
    await this.#stop(slot);
    await slot.store?.close();
    slot.store = undefined;
    slot.fingerprint = undefined;
  }
}

/** Delegates to the current reviewer at the time of the call. */
function deferredReviews(
  spec: ControlPlaneSpec,
  now: () => Pick<ControlPlaneSpec, 'reviewToken' | 'reviewAccess'>,
): Pick<ControlPlaneSpec, 'reviewToken' | 'reviewAccess'> {
  const reviewToken: ReviewToken = (token) => now().reviewToken?.(token) ?? Promise.resolve(undefined);
  const reviewAccess: ReviewAccess = {
    authorize: (attributes) => now().reviewAccess?.authorize(attributes) ?? { allowed: false, reason: '' },
  };
  return { reviewToken: spec.reviewToken && reviewToken, reviewAccess: spec.reviewAccess && reviewAccess };
}

function stateOf(slot: Slot, spec: ControlPlaneSpec): ControlPlaneState {
  const { running, failure, step } = slot;
  const endpoint = running?.endpoint ?? spec.endpoint;
  const common = {
    endpoint,
    version: running?.version,
    certificatesEndMs: running?.certificateEndMs,
    etcdUsageBytes: undefined,
    ...unsupportedWhenSimulated(spec),
  };
  if (slot.removing) {
    return {
      ...common,
      phase: 'Updating',
      ready: false,
      reason: 'Deleting',
      message: 'The control plane is being removed.',
    };
  }
  if (step !== undefined) {
    const isFirst = slot.store === undefined;
    return {
      ...common,
      phase: isFirst ? 'Starting' : 'Updating',
      ready: running !== undefined,
      reason: isFirst ? 'Provisioning' : 'Updating',
      message: `The control plane is starting with Kubernetes ${spec.version}.`,
    };
  }
  if (failure !== undefined || running === undefined) {
    const message = `The control plane did not start: ${failure?.message ?? 'it has not been requested'}. Fairway is retrying.`;
    return { ...common, phase: 'Failed', ready: false, reason: 'ControlPlaneFailed', message };
  }
  return { ...common, phase: 'Running', ready: true, reason: 'AsExpected', message: '' };
}
