import { isDeepStrictEqual } from 'node:util';
import { actionRequiredBy, ConditionReason, isOutage } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
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
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import { machineOfDescription } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { securityGroupFacts } from '@fairway/tenancy/cloud/security-group-facts';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { Problem } from '@fairway/tenancy/problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';
import { findSecurityGroups, requestedSecurityGroups } from './pool-security-groups.ts';
import { portChange } from './port-changes.ts';
import { PortWriter } from './port-writer.ts';

type SecurityGroupsDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'attempts' | 'events' | 'clock'
>;

const RESYNC_INTERVAL_MS = 600_000;
/** Maximum age of the lists if all ports are as desired; each pass requests them. */
const MAX_AGE_SETTLED_MS = RESYNC_INTERVAL_MS - 10_000;
/** Maximum age while a group is missing, or a server is still being created. */
const MAX_AGE_MS = 60_000;
const RETRY_MS = 60_000;
/** How long creating a server with previous groups may take. */
const MAX_CREATION_MS = 300_000;

/** The scope of a pass. */
interface Scope {
  readonly cluster: Cluster;
  readonly cloud: ProjectCloud;
  readonly pass: Pass;
  /** The pool, including what this pass has written. */
  pool: NodePool;
}

/**
 * Resolves the security groups that a pool specifies, maintains them on the ports of its servers, and reports them in
 * `status.securityGroups`. New servers are created with them.
 */
export class SecurityGroupsReconciler {
  readonly #dependencies: SecurityGroupsDependencies;
  readonly #writer: PortWriter;

  constructor(dependencies: SecurityGroupsDependencies) {
    this.#dependencies = dependencies;
    this.#writer = new PortWriter(dependencies.clock);
  }

  /** `key` identifies a NodePool. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, clouds } = this.#dependencies;
    const pool = cache.nodePools.get(key);
    if (pool === undefined || pool.metadata.deletionTimestamp !== undefined) return {};
    if (requestedSecurityGroups(pool).length === 0 && pool.status?.securityGroups === undefined) return {};
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
    pass.requeueAfter(RESYNC_INTERVAL_MS);
    const scope: Scope = { cluster, cloud, pass, pool };
    const { failure } = await pass.run(() =>
      attempts.withBackoff({ kind: 'security groups', item }, async () => {
        await requireOwnProject(cloud, cluster);
        await this.#reconcileGroups(scope);
      }),
    );
    return pass.end(async () => {
      if (failure) await this.#report(scope, failure);
    });
  }

  async #reconcileGroups(scope: Scope): Promise<void> {
    const { cluster, cloud, pass } = scope;
    const names = requestedSecurityGroups(scope.pool);
    const servers = this.#serversOf(scope.pool);
    const maxAgeMs = hasSettled(scope.pool) && servers.areKnown ? MAX_AGE_SETTLED_MS : MAX_AGE_MS;
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
    // Recorded before any port has them, so that they can be removed again regardless of what happens in between.
    await this.#write(
      scope,
      record,
      usesGroups(scope.pool, names) ? problemOf(scope.pool) : portsChangingProblem(servers.ids.size),
    );
    if (!servers.areKnown) pass.requeueAfter(RETRY_MS);
    const isAppliedEverywhere = await this.#writePorts(scope, record, servers.ids, sinceMs);
    if (!isAppliedEverywhere) return;
    await this.#write(scope, record, undefined);
    if (servers.areKnown) await this.#removeOldRecord(scope);
  }

  /** Whether all servers have their desired groups. */
  async #writePorts(
    { cloud, cluster, pass }: Scope,
    { groupIDs, appliedIDs }: { readonly groupIDs: readonly string[]; readonly appliedIDs: readonly string[] },
    serverIDs: ReadonlySet<string>,
    sinceMs: number,
  ): Promise<boolean> {
    const { networkID, securityGroupID: ownID } = cluster.status?.network ?? {};
    if (serverIDs.size === 0 || networkID === undefined || ownID === undefined) return true;
    // A server may also have ports that someone else has added.
    const isFairwayPort = ({ network_id, description }: Port) =>
      network_id === networkID || machineOfDescription(description)?.clusterUid === identityOf(cluster);
    const isPoolPort = (port: Port) => serverIDs.has(port.device_id) && isFairwayPort(port);
    const { items } = await cloud.cache.ports.refreshAfter(sinceMs, pass.signal);
    const ports = [...items.values()].filter(isPoolPort);
    const changes = ports.flatMap((port) => {
      const securityGroups = portChange(port, { ownID, groupIDs, appliedIDs });
      return securityGroups ? [{ port, securityGroups }] : [];
    });
    const waitMs = await this.#writer.write(cloud, changes, pass.signal);
    const isComplete = new Set(ports.map(({ device_id }) => device_id)).size === serverIDs.size;
    pass.requeueAfter(isComplete ? waitMs : RETRY_MS);
    return isComplete && waitMs === undefined;
  }

  /**
   * Removes the previous groups from the record once no more servers can be created with them: then no server has
   * them.
   */
  async #removeOldRecord(scope: Scope): Promise<void> {
    const record = scope.pool.status?.securityGroups;
    if (record === undefined) return;
    const { names, groupIDs = [], appliedIDs, changedTime } = record;
    if (names.length > 0 && appliedIDs.length === groupIDs.length) return;
    const leftMs = Date.parse(changedTime) + MAX_CREATION_MS - scope.cloud.now();
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
    // The Cluster reports that the cloud is unavailable; servers keep their groups.
    if (error instanceof BackoffError || isOutage(reason)) return;
    const { names: _names, groupIDs, appliedIDs = [] } = scope.pool.status?.securityGroups ?? {};
    const names = requestedSecurityGroups(scope.pool);
    const found = usesGroups(scope.pool, names) && groupIDs ? { groupIDs } : {};
    await this.#write(scope, { names, ...found, appliedIDs }, { reason, message });
  }

  async #write(scope: Scope, record: GroupRecord, problem: Problem | undefined): Promise<void> {
    const last = scope.pool.status?.securityGroups;
    // Recorded before the write, so that a crash does not lose it.
    if (
      problem &&
      actionRequiredBy(problem.reason) !== 'fairway' &&
      problem.message.slice(0, MAX_MESSAGE_LENGTH) !== last?.message
    ) {
      this.#dependencies.events.warning(scope.pool, 'SecurityGroupsNotApplied', problem.message);
    }
    const isSame = last !== undefined && isDeepStrictEqual(partOf(last), partOf(record));
    const changedTime = isSame ? last.changedTime : formatTime(scope.cloud.now());
    await this.#writeRecord(scope, {
      ...partOf(record),
      changedTime,
      ...(problem && { reason: problem.reason, message: problem.message.slice(0, MAX_MESSAGE_LENGTH) }),
    });
  }

  async #writeRecord(scope: Scope, securityGroups: SecurityGroupsStatus | undefined): Promise<void> {
    const { securityGroups: _last, ...others } = scope.pool.status ?? {};
    const status: NodePoolStatus = { ...others, ...(securityGroups && { securityGroups }) };
    await writeStatus(this.#dependencies.client.resource(nodePools), scope.pool, status);
    scope.pool = { ...scope.pool, status };
  }
}

/** The form of `status.securityGroups`. */
const MAX_MESSAGE_LENGTH = 1024;

interface GroupRecord {
  readonly names: readonly string[];
  readonly groupIDs?: readonly string[] | undefined;
  readonly appliedIDs: readonly string[];
}

function partOf({
  names,
  groupIDs,
  appliedIDs,
}: GroupRecord): Pick<SecurityGroupsStatus, 'names' | 'groupIDs' | 'appliedIDs'> {
  return { names: [...names], ...(groupIDs && { groupIDs: [...groupIDs] }), appliedIDs: [...appliedIDs] };
}

function usesGroups({ status }: NodePool, names: readonly string[]): boolean {
  return isDeepStrictEqual(status?.securityGroups?.names, names);
}

/** Whether all ports were as desired at the last check. */
function hasSettled(pool: NodePool): boolean {
  const { groupIDs, reason } = pool.status?.securityGroups ?? {};
  return groupIDs !== undefined && reason === undefined && usesGroups(pool, requestedSecurityGroups(pool));
}

function problemOf({ status }: NodePool): Problem | undefined {
  const { reason, message = '' } = status?.securityGroups ?? {};
  return reason === undefined ? undefined : { reason: reason as ConditionReason, message };
}

function portsChangingProblem(servers: number): Problem | undefined {
  if (servers === 0) return undefined;
  return {
    reason: ConditionReason.Updating,
    message: `the ports of ${pluralize(servers, 'server')} are being changed`,
  };
}

function isStaying({ metadata }: Machine): boolean {
  return metadata.deletionTimestamp === undefined;
}
