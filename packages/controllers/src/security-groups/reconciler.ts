import { isDeepStrictEqual } from 'node:util';
import { actionRequiredBy, ConditionReason, isOutage } from '@fairway/api/conditions';
import { counted } from '@fairway/api/domain/counted';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { type NodePool, type NodePoolStatus, nodePools } from '@fairway/api/kinds/node-pool';
import { appliedUnion, type SecurityGroupsStatus } from '@fairway/api/kinds/pool-security-groups';
import { isPaused } from '@fairway/api/pause';
import { formatTime } from '@fairway/base/clock';
import { keyOf } from '@fairway/kube/client/object-key';
import { BackoffError } from '@fairway/kube/controller/attempts';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { Port } from '@fairway/openstack/types/network';
import { machinesByPool } from '@fairway/tenancy/cache-indexes';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import { machineOfDescription } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { securityGroupFacts } from '@fairway/tenancy/cloud/security-group-facts';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { Problem } from '@fairway/tenancy/problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';
import { findSecurityGroups, wantedSecurityGroups } from './pool-security-groups.ts';
import { portChange } from './port-changes.ts';
import { PortWriter } from './port-writer.ts';

type SecurityGroupsDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'attempts' | 'events' | 'clock'
>;

const RESYNC_MS = 600_000;
/** Of the lists while all is as it should be: each pass makes them. */
const MAX_AGE_SETTLED_MS = RESYNC_MS - 10_000;
/** While something is missing: a group, or a server that is still to come. */
const MAX_AGE_MS = 60_000;
const RETRY_MS = 60_000;
/** How long a server may be on its way that was asked for with what the pool named before. */
const MAX_LAG_MS = 300_000;

/** What a pass works on. */
interface Scope {
  readonly cluster: Cluster;
  readonly cloud: ProjectCloud;
  readonly pass: Pass;
  /** The pool, with what this pass has written. */
  pool: NodePool;
}

/** Finds the security groups that a pool names, keeps them on the ports of its servers, and says so in `status.securityGroups`. New servers are made with them. */
export class SecurityGroupsReconciler {
  readonly #dependencies: SecurityGroupsDependencies;
  readonly #writer: PortWriter;

  constructor(dependencies: SecurityGroupsDependencies) {
    this.#dependencies = dependencies;
    this.#writer = new PortWriter(dependencies.clock);
  }

  /** `key` is a NodePool's. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, clouds } = this.#dependencies;
    const pool = cache.nodePools.get(key);
    if (pool === undefined || pool.metadata.deletionTimestamp !== undefined) return {};
    if (wantedSecurityGroups(pool).length === 0 && pool.status?.securityGroups === undefined) return {};
    const cluster = cache.clusters.get(clusterKeyOf(pool));
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined || isPaused(pool, cluster)) return {};
    const cloud = clouds.of(clusterKeyOf(pool), cluster.spec.credentialName);
    if (cloud === undefined) return {};
    const item = identityOf(pool);
    if (context.userTriggered) {
      attempts.retryNow((each) => each === item);
      cloud.cache.securityGroups.invalidate();
      cloud.cache.ports.invalidate();
    }
    const pass = new Pass(context, clock);
    pass.requeueAfter(RESYNC_MS);
    const scope: Scope = { cluster, cloud, pass, pool };
    const { failure } = await pass.run(() =>
      attempts.withBackoff({ kind: 'security groups', item }, async () => {
        await requireOwnProject(cloud, cluster);
        await this.#bringInLine(scope);
      }),
    );
    return pass.end(async () => {
      if (failure) await this.#report(scope, failure);
    });
  }

  async #bringInLine(scope: Scope): Promise<void> {
    const { cluster, cloud, pass } = scope;
    const names = wantedSecurityGroups(scope.pool);
    const servers = this.#serversOf(scope.pool);
    const maxAgeMs = isAtRest(scope.pool) && servers.areKnown ? MAX_AGE_SETTLED_MS : MAX_AGE_MS;
    const sinceMs = cloud.now() - maxAgeMs;
    const groups = names.length === 0 ? undefined : await cloud.cache.securityGroups.refreshAfter(sinceMs, pass.signal);
    const facts = groups ? securityGroupFacts(groups.items.values(), await cloud.client.session.projectId()) : [];
    const found = findSecurityGroups(scope.pool, cluster, facts);
    const appliedIDs = scope.pool.status?.securityGroups?.appliedIDs ?? [];
    if (found.problem) {
      pass.requeueAfter(RETRY_MS);
      await this.#write(scope, { names, appliedIDs }, found.problem);
      return;
    }
    const { groupIDs } = found;
    const record = { names, groupIDs, appliedIDs: appliedUnion(appliedIDs, groupIDs) };
    // Before any port has them, so that they can be taken from it whatever happens in between.
    await this.#write(scope, record, isAbout(scope.pool, names) ? problemOf(scope.pool) : changing(servers.ids.size));
    if (!servers.areKnown) pass.requeueAfter(RETRY_MS);
    const isEverywhere = await this.#writePorts(scope, record, servers.ids, sinceMs);
    if (!isEverywhere) return;
    await this.#write(scope, record, undefined);
    if (servers.areKnown) await this.#forgetFormer(scope);
  }

  /** Whether all servers have the groups that they are to have now. */
  async #writePorts(
    { cloud, cluster, pass }: Scope,
    { groupIDs, appliedIDs }: { readonly groupIDs: readonly string[]; readonly appliedIDs: readonly string[] },
    serverIDs: ReadonlySet<string>,
    sinceMs: number,
  ): Promise<boolean> {
    const { networkID, securityGroupID: ownID } = cluster.status?.network ?? {};
    if (serverIDs.size === 0 || networkID === undefined || ownID === undefined) return true;
    // A server may also have ports that somebody has added.
    const isFairways = ({ network_id, description }: Port) =>
      network_id === networkID || machineOfDescription(description)?.clusterUid === identityOf(cluster);
    const isTheirs = (port: Port) => serverIDs.has(port.device_id) && isFairways(port);
    const { items } = await cloud.cache.ports.refreshAfter(sinceMs, pass.signal);
    const ports = [...items.values()].filter(isTheirs);
    const changes = ports.flatMap((port) => {
      const securityGroups = portChange(port, { ownID, groupIDs, appliedIDs });
      return securityGroups ? [{ port, securityGroups }] : [];
    });
    const waitMs = await this.#writer.write(cloud, changes, pass.signal);
    const isSeen = new Set(ports.map(({ device_id }) => device_id)).size === serverIDs.size;
    pass.requeueAfter(isSeen ? waitMs : RETRY_MS);
    return isSeen && waitMs === undefined;
  }

  /** What the pool named before is on no server any more, once none can be on its way that was asked for with it. */
  async #forgetFormer(scope: Scope): Promise<void> {
    const record = scope.pool.status?.securityGroups;
    if (record === undefined) return;
    const { names, groupIDs = [], appliedIDs, changedTime } = record;
    if (names.length > 0 && appliedIDs.length === groupIDs.length) return;
    const leftMs = Date.parse(changedTime) + MAX_LAG_MS - scope.cloud.now();
    if (leftMs > 0) scope.pass.requeueAfter(leftMs);
    else if (names.length > 0) await this.#write(scope, { names, groupIDs, appliedIDs: groupIDs }, undefined);
    else await this.#writeRecord(scope, undefined);
  }

  /** The servers of the pool's machines, and whether each machine has one. */
  #serversOf(pool: NodePool): { readonly ids: ReadonlySet<string>; readonly areKnown: boolean } {
    const machines = this.#dependencies.cache.machines.find(machinesByPool, keyOf(pool)).filter(isStaying);
    const ids = machines.flatMap(({ status }) => status?.serverID ?? []);
    return { ids: new Set(ids), areKnown: ids.length === machines.length };
  }

  async #report(scope: Scope, { error, reason, message }: Failure): Promise<void> {
    // The Cluster says that the cloud is away; servers keep what they have.
    if (error instanceof BackoffError || isOutage(reason)) return;
    const { names: _names, groupIDs, appliedIDs = [] } = scope.pool.status?.securityGroups ?? {};
    const names = wantedSecurityGroups(scope.pool);
    const found = isAbout(scope.pool, names) && groupIDs ? { groupIDs } : {};
    await this.#write(scope, { names, ...found, appliedIDs }, { reason, message });
  }

  async #write(scope: Scope, record: Record, problem: Problem | undefined): Promise<void> {
    const last = scope.pool.status?.securityGroups;
    // Before it is written, so that no crash loses it.
    if (
      problem &&
      actionRequiredBy(problem.reason) !== 'fairway' &&
      problem.message.slice(0, MAX_MESSAGE) !== last?.message
    ) {
      this.#dependencies.events.warning(scope.pool, 'SecurityGroupsNotApplied', problem.message);
    }
    const isSame = last !== undefined && isDeepStrictEqual(partOf(last), partOf(record));
    const changedTime = isSame ? last.changedTime : formatTime(scope.cloud.now());
    await this.#writeRecord(scope, {
      ...partOf(record),
      changedTime,
      ...(problem && { reason: problem.reason, message: problem.message.slice(0, MAX_MESSAGE) }),
    });
  }

  async #writeRecord(scope: Scope, securityGroups: SecurityGroupsStatus | undefined): Promise<void> {
    const { securityGroups: _last, ...others } = scope.pool.status ?? {};
    const status: NodePoolStatus = { ...others, ...(securityGroups && { securityGroups }) };
    await writeStatus(this.#dependencies.client.resource(nodePools), scope.pool, status);
    scope.pool = { ...scope.pool, status };
  }
}

/** Of `status.securityGroups`. */
const MAX_MESSAGE = 1024;

interface Record {
  readonly names: readonly string[];
  readonly groupIDs?: readonly string[] | undefined;
  readonly appliedIDs: readonly string[];
}

function partOf({
  names,
  groupIDs,
  appliedIDs,
}: Record): Pick<SecurityGroupsStatus, 'names' | 'groupIDs' | 'appliedIDs'> {
  return { names: [...names], ...(groupIDs && { groupIDs: [...groupIDs] }), appliedIDs: [...appliedIDs] };
}

function isAbout({ status }: NodePool, names: readonly string[]): boolean {
  return isDeepStrictEqual(status?.securityGroups?.names, names);
}

/** Whether all was as the pool asks for when it was last looked. */
function isAtRest(pool: NodePool): boolean {
  const { groupIDs, reason } = pool.status?.securityGroups ?? {};
  return groupIDs !== undefined && reason === undefined && isAbout(pool, wantedSecurityGroups(pool));
}

function problemOf({ status }: NodePool): Problem | undefined {
  const { reason, message = '' } = status?.securityGroups ?? {};
  return reason === undefined ? undefined : { reason: reason as ConditionReason, message };
}

function changing(servers: number): Problem | undefined {
  if (servers === 0) return undefined;
  return { reason: ConditionReason.Updating, message: `the ports of ${counted(servers, 'server')} are being changed` };
}

function isStaying({ metadata }: Machine): boolean {
  return metadata.deletionTimestamp === undefined;
}
