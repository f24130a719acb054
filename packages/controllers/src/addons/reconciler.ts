import type { Addon, Workload } from '@fairway/addons/addon';
import { addonsOf } from '@fairway/addons/catalogue';
import { type Health, healthOf, type NodeCounts, servingHealth } from '@fairway/addons/health';
import { waitsForNetwork } from '@fairway/addons/pod-network/waiting-node';
import { revisionOf } from '@fairway/addons/revision';
import { ConditionType } from '@fairway/api/conditions';
import { type InstalledCni, installerOfFound } from '@fairway/api/domain/cni-installer';
import { isHibernationWanted } from '@fairway/api/domain/hibernation';
import { requestIn } from '@fairway/api/domain/request';
import { ADOPT_ADDONS_ANNOTATION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { AddonStatus } from '@fairway/api/kinds/cluster-addons';
import type { PlanStorageClass } from '@fairway/api/kinds/plan-storage';
import { isPaused } from '@fairway/api/pause';
import { lastFailure } from '@fairway/kube/controller/attempts';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { isApiError } from '@fairway/kube/object/api-error';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { isNodeReady, nodeReadyCondition } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { TenantApiError } from '@fairway/tenancy/connection/tenant-problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';
import { announceAddons } from './announcements.ts';
import { isRefusal } from './apply-object.ts';
import { flawOfClasses } from './class-flaws.ts';
import { addonFacts } from './facts.ts';
import { type Findings, look, type Outcome } from './look.ts';
import { AddonMemory, driftOf } from './memory.ts';
import { addonStatus } from './status.ts';
import { TenantWatches } from './tenant-watches.ts';

type AddonDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'runtime' | 'tenants' | 'attempts' | 'events' | 'clock'
>;

/** How often what does not work is judged again, by what is cached. */
const UNSETTLED_MS = 60_000;
/** Operators change types a few times a year. */
const TYPES_MAX_AGE_MS = 900_000;

/** Keeps add-ons in tenants' clusters as the catalogue has them, and says in `Cluster.status.addons` how they fare. */
export class AddonReconciler {
  readonly #dependencies: AddonDependencies;
  readonly #watches: TenantWatches;
  readonly #memories = new Map<string, AddonMemory>();

  constructor(dependencies: AddonDependencies, enqueue: (clusterKey: string) => void) {
    this.#dependencies = dependencies;
    this.#watches = new TenantWatches(enqueue);
  }

  forget(isMatching: (clusterKey: string) => boolean): void {
    for (const key of this.#memories.keys()) if (isMatching(key)) this.#memories.delete(key);
  }

  /** `key` is a Cluster's. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { cache, runtime, tenants } = this.#dependencies;
    const cluster = cache.clusters.get(key);
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) {
      this.#memories.delete(key);
      return {};
    }
    if (context.isAsked) this.#memoryOf(key).ask();
    if (isPaused(cluster) || isHibernationWanted(cluster)) return {};
    const tenant = tenants.get(identityOf(cluster));
    const plan = cache.plans.get(cluster.spec.plan)?.spec;
    const facts = addonFacts(cluster, cache.releases.list(), plan, runtime);
    const isUp = isConditionTrue(cluster.status?.conditions, ConditionType.ControlPlaneReady);
    if (tenant === undefined || facts === undefined || !isUp) return {};
    const { classes } = facts.storage;
    return this.#ensure(key, cluster, { tenant, wanted: addonsOf(facts), classes }, context);
  }

  async #ensure(
    key: string,
    cluster: Cluster,
    {
      tenant,
      wanted,
      classes,
    }: {
      readonly tenant: TenantCluster;
      readonly wanted: readonly Addon[];
      readonly classes: readonly PlanStorageClass[];
    },
    context: ReconcileContext,
  ): Promise<Result> {
    const { clock } = this.#dependencies;
    const pass = new Pass(context, clock);
    const memory = this.#memoryOf(key);
    const known = new Map(cluster.status?.addons?.map((each) => [each.name, each]));
    const managed = wanted.filter(({ name }) => known.get(name)?.state !== 'NotManaged');
    this.#watches.follow(tenant, managed);
    const request = requestIn(cluster, ADOPT_ADDONS_ANNOTATION);
    const working = new Set(managed.filter((each) => this.#mayBeRegistered(tenant, each)).map(({ name }) => name));
    const wish = revisionOf([wanted, request, [...working]]);
    const drift = driftOf(tenant, managed, this.#watches);
    const waitMs = memory.dueMs(tenant, wish, drift) - clock.now();
    let failure: Failure | undefined;
    if (waitMs <= 0) {
      const versions = new Map(wanted.map(({ name, version }) => [name, version]));
      const unmanaged = new Set(wanted.filter((each) => !managed.includes(each)).map(({ name }) => name));
      failure = await this.#look(cluster, { tenant, wanted, unmanaged, working, request }, pass, (findings) =>
        memory.keep(findings, { ms: clock.now(), wish, versions, drift, tenant }),
      );
    }
    const flaw = await this.#flawOf(key, cluster, classes, pass);
    // What failed has a pause of its own.
    if (!failure) pass.againIn(Math.max(memory.dueMs(tenant, wish, drift) - clock.now(), 0) + 1);
    return pass.end(async () => {
      const addons = wanted.flatMap((addon) => {
        const outcome = failure ? refusalOf(failure) : memory.outcomeOf(addon.name);
        const version = (failure ? undefined : memory.versionOf(addon.name)) ?? addon.version;
        if (outcome === undefined) return [];
        const looked = { addon: { ...addon, version }, outcome, tenant, memory, flaw };
        return [this.#statusOf(known.get(addon.name), looked)];
      });
      // An API that does not answer says nothing new.
      if (addons.length < wanted.length) return;
      if (addons.some(({ state }) => state === 'Progressing' || state === 'Degraded')) pass.againIn(UNSETTLED_MS);
      const patient = [...memory.failingSinceMs.values()].map((sinceMs) => sinceMs + UNSETTLED_MS - clock.now());
      for (const delayMs of patient) if (delayMs >= 0) pass.againIn(delayMs + 1);
      await this.#write(cluster, addons, memory.podNetwork);
    });
  }

  async #look(
    cluster: Cluster,
    options: Pick<Parameters<typeof look>[0], 'wanted' | 'unmanaged' | 'working' | 'request'> & {
      readonly tenant: TenantCluster;
    },
    pass: Pass,
    keep: (findings: Findings) => void,
  ): Promise<Failure | undefined> {
    const { attempts, clock } = this.#dependencies;
    const { signal } = pass;
    const { client } = options.tenant;
    const { value, failure } = await pass.run(() =>
      attempts.make({ kind: 'add-ons', item: identityOf(cluster) }, () => look({ ...options, client, clock, signal })),
    );
    if (value) keep(value);
    return failure;
  }

  #statusOf(
    previous: AddonStatus | undefined,
    looked: {
      readonly addon: Addon;
      readonly outcome: Outcome;
      readonly tenant: TenantCluster;
      readonly memory: AddonMemory;
      readonly flaw: string | undefined;
    },
  ): AddonStatus {
    const { addon, outcome, tenant, memory } = looked;
    const flaw = addon.name === 'cinder-csi' ? looked.flaw : undefined;
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
      flaw,
    };
    return addonStatus(previous, view, nowMs);
  }

  /** What is wrong with the plan's classes in the cluster's cloud, as far as that is known. */
  async #flawOf(
    key: string,
    cluster: Cluster,
    classes: readonly PlanStorageClass[],
    { signal }: Pass,
  ): Promise<string | undefined> {
    const memory = this.#memoryOf(key);
    const cloud = this.#dependencies.clouds.of(key, cluster.spec.credentialName);
    if (cloud === undefined || classes.every(({ volumeType }) => volumeType === undefined)) return undefined;
    try {
      const types = await cloud.cache.volumeTypes.refreshAfter(cloud.now() - TYPES_MAX_AGE_MS, signal);
      memory.flaw = flawOfClasses(classes, [...types.items.values()], cluster.spec.plan);
    } catch (error) {
      // A cloud that does not answer says nothing new, and those that need its answer tell.
      if (!isOpenStackError(error) && !signal.aborted) throw error;
    }
    return memory.flaw;
  }

  /** Of an add-on, and whose that is: of what does its work, or of the first helper that does not work. */
  #healthOf(tenant: TenantCluster, addon: Addon): { readonly health: Health | undefined; readonly workload: Workload } {
    const { serving, helpers = [] } = addon;
    const own = this.#workloadHealth(tenant, addon);
    const health = own && serving ? servingHealth(own, this.#watches.get(tenant, serving.registration)) : own;
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

  /** Whether the pods of an API that is not registered run. */
  #mayBeRegistered(tenant: TenantCluster, addon: Addon): boolean {
    const { serving } = addon;
    if (serving === undefined || !this.#watches.isSynced(tenant, serving.registration)) return false;
    const isRegistered = this.#watches.get(tenant, serving.registration) !== undefined;
    return !isRegistered && this.#workloadHealth(tenant, addon) === 'working';
  }

  async #write(cluster: Cluster, addons: readonly AddonStatus[], found: InstalledCni | undefined): Promise<void> {
    const { client, events } = this.#dependencies;
    const { addons: previous, ...others } = cluster.status ?? {};
    const installer = found && installerOfFound(others, found);
    const status = { ...others, ...(addons.length > 0 && { addons }), ...(installer && { cniInstaller: installer }) };
    await writeStatus(client.resource(clusters), cluster, status);
    announceAddons(events, cluster, previous ?? [], addons);
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
  const offline = all.filter((node) => waitsForNetwork(nodeReadyCondition(node)));
  return { total: all.length, ready: ready.length, offline: offline.length };
}

/** An API that answers, and lets Fairway do nothing. */
function refusalOf({ error }: Failure): Outcome | undefined {
  const failure = lastFailure(error);
  if (!(failure instanceof TenantApiError)) return undefined;
  const { cause } = failure;
  if (!isRefusal(cause) && !isApiError(cause, 'Unauthorized')) return undefined;
  const { reason, message } = cause;
  return { kind: 'refused', refusal: { object: 'a look at the add-ons', reason, message } };
}
