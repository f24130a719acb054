import type { Addon, Workload } from '@fairway/addons/addon';
import { type Health, healthOf, type NodeCounts, servingHealth } from '@fairway/addons/health';
import { lacksOnlyNetwork } from '@fairway/addons/pod-network/waiting-node';
import { AddonRenderer, type RenderedAddons } from '@fairway/addons/rendered-addons';
import { revisionOf } from '@fairway/addons/revision';
import { ConditionType } from '@fairway/api/conditions';
import { detectedInstaller, type InstalledCni } from '@fairway/api/domain/cni-installer';
import { shouldHibernate } from '@fairway/api/domain/hibernation';
import { offeredClasses, type StorageLimits } from '@fairway/api/domain/plan-storage';
import { requestValueOf } from '@fairway/api/domain/request';
import { ADOPT_ADDONS_ANNOTATION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { AddonStatus } from '@fairway/api/kinds/cluster-addons';
import { enforcementChangeDelayMs } from '@fairway/api/limits/in-cluster';
import { isPaused } from '@fairway/api/pause';
import { lastFailure } from '@fairway/kube/controller/attempts';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { isApiError } from '@fairway/kube/object/api-error';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { hasVolumeService } from '@fairway/tenancy/cloud/cloud-offer';
import { isNodeReady, nodeReadyCondition } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { TenantApiError } from '@fairway/tenancy/connection/tenant-problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';
import { applyAddons, type Findings, type Outcome } from './apply-addons.ts';
import { isRefusal } from './apply-object.ts';
import { recordAddonEvents } from './events.ts';
import { addonFacts } from './facts.ts';
import { AddonMemory, driftOf } from './memory.ts';
import { type AddonView, addonStatus } from './status.ts';
import { omittedClassesNote, storageClassProblem } from './storage-class-problems.ts';
import { TenantWatches } from './tenant-watches.ts';

type AddonDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'runtime' | 'tenants' | 'attempts' | 'events' | 'clock'
>;

/** How often a failing add-on is evaluated again, from the cache. */
const FAILING_ADDON_RECHECK_MS = 60_000;
/** How long Fairway waits before it queries volume types again after a failure. */
const VOLUME_TYPES_RETRY_MS = 600_000;
/** Operators change volume types a few times a year. */
const VOLUME_TYPES_MAX_AGE_MS = 900_000;

/** Maintains the catalogue's add-ons in tenants' clusters, and reports their state in `Cluster.status.addons`. */
export class AddonReconciler {
  readonly #dependencies: AddonDependencies;
  readonly #watches: TenantWatches;
  readonly #memories = new Map<string, AddonMemory>();
  readonly #renderer = new AddonRenderer();

  constructor(dependencies: AddonDependencies, enqueue: (clusterKey: string) => void) {
    this.#dependencies = dependencies;
    this.#watches = new TenantWatches(enqueue);
  }

  forget(isMatching: (clusterKey: string) => boolean): void {
    for (const key of this.#memories.keys()) if (isMatching(key)) this.#memories.delete(key);
  }

  /** `key` identifies a Cluster. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { cache, clock, runtime, tenants } = this.#dependencies;
    const cluster = cache.clusters.get(key);
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) {
      this.#memories.delete(key);
      return {};
    }
    if (context.userTriggered) this.#memoryOf(key).requestCheck();
    if (isPaused(cluster) || shouldHibernate(cluster)) return {};
    const tenant = tenants.get(identityOf(cluster));
    const plan = cache.plans.get(cluster.spec.plan)?.spec;
    const known = addonFacts(cluster, cache.releases.list(), plan, runtime, clock.now());
    const isUp = isConditionTrue(cluster.status?.conditions, ConditionType.ControlPlaneReady);
    if (tenant === undefined || known === undefined || !isUp) return {};
    const pass = new Pass(context, clock);
    pass.requeueAfter(enforcementChangeDelayMs(known.limits, clock.now()));
    const { storage, misconfiguration, note } = await this.#storageProblem(key, cluster, known.storage, pass);
    const rendered = this.#renderer.render({ ...known, storage });
    return this.#ensure(key, cluster, { tenant, rendered, misconfiguration, note }, pass);
  }

  async #ensure(
    key: string,
    cluster: Cluster,
    {
      tenant,
      rendered: { addons: desiredAddons, revision },
      ...observed
    }: {
      readonly tenant: TenantCluster;
      readonly rendered: RenderedAddons;
    } & Pick<AddonView, 'misconfiguration' | 'note'>,
    pass: Pass,
  ): Promise<Result> {
    const { clock } = this.#dependencies;
    const memory = this.#memoryOf(key);
    const known = new Map(cluster.status?.addons?.map((each) => [each.name, each]));
    const managed = desiredAddons.filter(({ name }) => known.get(name)?.state !== 'NotManaged');
    this.#watches.follow(tenant, managed);
    const request = requestValueOf(cluster, ADOPT_ADDONS_ANNOTATION);
    const working = new Set(managed.filter((each) => this.#canBeRegistered(tenant, each)).map(({ name }) => name));
    const desiredRevision = revisionOf([revision, request, [...working]]);
    const drift = driftOf(tenant, managed, this.#watches);
    const waitMs = memory.dueMs(tenant, desiredRevision, drift) - clock.now();
    let failure: Failure | undefined;
    if (waitMs <= 0) {
      const versions = new Map(desiredAddons.map(({ name, version }) => [name, version]));
      const unmanaged = new Set(desiredAddons.filter((each) => !managed.includes(each)).map(({ name }) => name));
      failure = await this.#apply(
        cluster,
        { tenant, desiredAddons, unmanaged, workingAddons: working, request },
        pass,
        (findings) => memory.record(findings, { ms: clock.now(), desired: desiredRevision, versions, drift, tenant }),
      );
    }
    // Failed add-ons have their own backoff.
    if (!failure) pass.requeueAfter(Math.max(memory.dueMs(tenant, desiredRevision, drift) - clock.now(), 0) + 1);
    return pass.end(async () => {
      const addons = desiredAddons.flatMap((addon) => {
        const outcome = failure ? refusalOf(failure) : memory.outcomeOf(addon.name);
        const version = (failure ? undefined : memory.versionOf(addon.name)) ?? addon.version;
        if (outcome === undefined) return [];
        const viewInput = { addon: { ...addon, version }, outcome, tenant, memory, ...observed };
        return [this.#statusOf(known.get(addon.name), viewInput)];
      });
      // If the API does not respond, the last known state stays.
      if (addons.length < desiredAddons.length) return;
      if (addons.some(({ state }) => state === 'Progressing' || state === 'Degraded'))
        pass.requeueAfter(FAILING_ADDON_RECHECK_MS);
      const delaysMs = [...memory.failingSinceMs.values()].map(
        (sinceMs) => sinceMs + FAILING_ADDON_RECHECK_MS - clock.now(),
      );
      for (const delayMs of delaysMs) if (delayMs >= 0) pass.requeueAfter(delayMs + 1);
      await this.#write(cluster, addons, memory.podNetwork);
    });
  }

  async #apply(
    cluster: Cluster,
    options: Pick<Parameters<typeof applyAddons>[0], 'desiredAddons' | 'unmanaged' | 'workingAddons' | 'request'> & {
      readonly tenant: TenantCluster;
    },
    pass: Pass,
    keep: (findings: Findings) => void,
  ): Promise<Failure | undefined> {
    const { attempts, clock } = this.#dependencies;
    const { signal } = pass;
    const { client } = options.tenant;
    const { value, failure } = await pass.run(() =>
      attempts.withBackoff({ kind: 'add-ons', item: identityOf(cluster) }, () =>
        applyAddons({ ...options, client, clock, signal }),
      ),
    );
    if (value) keep(value);
    return failure;
  }

  #statusOf(
    previous: AddonStatus | undefined,
    viewInput: {
      readonly addon: Addon;
      readonly outcome: Outcome;
      readonly tenant: TenantCluster;
      readonly memory: AddonMemory;
    } & Pick<AddonView, 'misconfiguration' | 'note'>,
  ): AddonStatus {
    const { addon, outcome, tenant, memory } = viewInput;
    const { misconfiguration, note } = addon.name === 'cinder-csi' ? viewInput : {};
    const { failingSinceMs } = memory;
    const nowMs = this.#dependencies.clock.now();
    const { health, workload } = this.#healthOf(tenant, addon);
    const isFailing = health === 'failing' || health === 'unserved';
    if (!isFailing || previous?.state === 'Degraded') failingSinceMs.delete(addon.name);
    else if (!failingSinceMs.has(addon.name)) failingSinceMs.set(addon.name, nowMs);
    const view = {
      addon: { ...addon, ...workload },
      outcome,
      health,
      failingSinceMs: failingSinceMs.get(addon.name),
      misconfiguration,
      note,
    };
    return addonStatus(previous, view, nowMs);
  }

  /** Which of the plan's classes the cluster's cloud supports, if known, and what is wrong with the others. */
  async #storageProblem(
    key: string,
    cluster: Cluster,
    limits: StorageLimits,
    { signal }: Pass,
  ): Promise<{ readonly storage: StorageLimits } & Pick<AddonView, 'misconfiguration' | 'note'>> {
    const { classes } = limits;
    const memory = this.#memoryOf(key);
    const cloud = this.#dependencies.clouds.of(key, cluster.spec.credentialName);
    if (classes.every(({ volumeType }) => volumeType === undefined)) return { storage: limits };
    const nowMs = this.#dependencies.clock.now();
    try {
      if (nowMs >= memory.volumeTypesDueMs) {
        memory.volumeTypesDueMs = nowMs + VOLUME_TYPES_RETRY_MS;
        const types = await cloud?.cache.volumeTypes.refreshAfter(cloud.now() - VOLUME_TYPES_MAX_AGE_MS, signal);
        memory.volumeTypes = types ? [...types.items.values()] : memory.volumeTypes;
        memory.volumeTypesDueMs = 0;
      }
    } catch (error) {
      // If the cloud does not respond, the last known state stays; the controllers that need the cloud report the
      // outage.
      if (!isOpenStackError(error) && !signal.aborted) throw error;
      if (isOpenStackError(error, 'notFound') && cloud && !(await hasVolumeService(cloud))) memory.volumeTypes = [];
    }
    const { volumeTypes } = memory;
    const offer = offeredClasses(classes, volumeTypes);
    return {
      storage: { ...limits, classes: offer.classes },
      misconfiguration: volumeTypes && storageClassProblem(offer.classes, volumeTypes, cluster.spec.plan),
      note: omittedClassesNote(offer.excludedClasses),
    };
  }

  /**
   * The health of an add-on, and the workload that determines it: the main one, or the first helper that does not work.
   */
  #healthOf(tenant: TenantCluster, addon: Addon): { readonly health: Health | undefined; readonly workload: Workload } {
    const { aggregatedApi, helpers = [] } = addon;
    const own = this.#workloadHealth(tenant, addon);
    const health =
      own && aggregatedApi ? servingHealth(own, this.#watches.get(tenant, aggregatedApi.registration)) : own;
    if (health !== 'working') return { health, workload: addon };
    const views = helpers.map((helper) => ({
      health: this.#workloadHealth(tenant, { ...addon, ...helper }),
      workload: helper,
    }));
    return views.find((each) => each.health !== 'working') ?? { health, workload: addon };
  }

  #workloadHealth(tenant: TenantCluster, addon: Addon): Health | undefined {
    const object = this.#watches.get(tenant, addon.workload);
    return object && healthOf(addon, object, nodesOf(tenant));
  }

  /** Whether the pods of an unregistered API are running. */
  #canBeRegistered(tenant: TenantCluster, addon: Addon): boolean {
    const { aggregatedApi } = addon;
    if (aggregatedApi === undefined || !this.#watches.isSynced(tenant, aggregatedApi.registration)) return false;
    const isRegistered = this.#watches.get(tenant, aggregatedApi.registration) !== undefined;
    return !isRegistered && this.#workloadHealth(tenant, addon) === 'working';
  }

  async #write(cluster: Cluster, addons: readonly AddonStatus[], found: InstalledCni | undefined): Promise<void> {
    const { client, events } = this.#dependencies;
    const { addons: previous, ...others } = cluster.status ?? {};
    const installer = found && detectedInstaller(others, found);
    const status = { ...others, ...(addons.length > 0 && { addons }), ...(installer && { cniInstaller: installer }) };
    await writeStatus(client.resource(clusters), cluster, status);
    recordAddonEvents(events, cluster, previous ?? [], addons);
  }

  #memoryOf(key: string): AddonMemory {
    const known = this.#memories.get(key) ?? new AddonMemory();
    this.#memories.set(key, known);
    return known;
  }
}

function nodesOf({ nodes }: TenantCluster): NodeCounts {
  const all = nodes.list();
  const ready = all.filter(isNodeReady);
  const offline = all.filter((node) => lacksOnlyNetwork(nodeReadyCondition(node)));
  return { total: all.length, ready: ready.length, withoutNetwork: offline.length };
}

/** The outcome if the API responds, but denies Fairway access. */
function refusalOf({ error }: Failure): Outcome | undefined {
  const failure = lastFailure(error);
  if (!(failure instanceof TenantApiError)) return undefined;
  const { cause } = failure;
  if (!isRefusal(cause) && !isApiError(cause, 'Unauthorized')) return undefined;
  const { reason, message } = cause;
  return { kind: 'refused', refusal: { object: 'the check of the add-ons', reason, message } };
}
