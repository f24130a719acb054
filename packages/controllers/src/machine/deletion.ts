import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { FINALIZER } from '@fairway/api/group';
import { type MachineStatus, machines } from '@fairway/api/kinds/machine';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import { type ConditionState, findCondition, setCondition } from '@fairway/kube/controller/conditions';
import { hasFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { Result } from '@fairway/kube/controller/result';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { ofTenant, tenantProblemOf } from '@fairway/tenancy/connection/tenant-problem';
import { missingCloud } from '@fairway/tenancy/credentials/credential-problem';
import type { Problem } from '@fairway/tenancy/problem';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { operation } from '../operation.ts';
import { writeStatus } from '../status-writer.ts';
import { DRAIN_INTERVAL_MS, type DrainWait, drainNode, drainTimeLeftMs } from './drain.ts';
import { removeFloatingIps } from './floating-ip.ts';
import { announceKeeping, keepingOf } from './inspection.ts';
import { stepsOf } from './last-operation.ts';
import { removePorts } from './port.ts';
import type { MachineScope } from './scope.ts';
import { deleteServer } from './server.ts';

/** What a deletion waits for, and how far it is. */
interface Waiting extends Problem {
  readonly phase: 'Draining' | 'Terminated';
  /** Percent. */
  readonly progress: number;
  /** The server is kept for inspection. */
  readonly isKept?: boolean;
  /** Absent if the next server list requeues the machine. */
  readonly retryAfterMs?: number;
}

/** One step of deleting a machine: drain the node, delete the server with its resources, then the node, then the finalizer. */
export async function deleteMachine(scope: MachineScope, pass: Pass): Promise<Result> {
  const { machine, dependencies } = scope;
  if (!hasFinalizer(machine, FINALIZER)) return {};
  const { value: waiting, failure } = await pass.run(() => takeDown(scope));
  if (failure === undefined && waiting === undefined) {
    dependencies.expectations.settle(scope.key);
    dependencies.builds.release(scope.uid);
    dependencies.attempts.forget(scope.uid);
    await removeFinalizer(dependencies.client.resource(machines), machine, FINALIZER);
    return {};
  }
  pass.againIn(waiting?.retryAfterMs);
  const phase = machine.status?.phase === 'Terminated' ? ('Terminated' as const) : ('Draining' as const);
  const told = failure ? { ...failure, phase, progress: 50 } : (waiting as Waiting);
  return pass.end(() => report(scope, told));
}

/** Returns what the deletion waits for; undefined when nothing is left. */
async function takeDown(scope: MachineScope): Promise<Waiting | undefined> {
  const draining = await drain(scope);
  if (draining) return { phase: 'Draining', progress: 20, ...draining };
  const keeping = scope.machine.status?.phase === 'Terminated' ? undefined : await keepingOf(scope);
  if (keeping) return { phase: 'Draining', progress: 40, isKept: true, ...keeping };
  const waiting = await removeServers(scope);
  if (waiting) return { phase: 'Terminated', progress: 60, ...waiting };
  scope.dependencies.expectations.settle(scope.key, 'deletion');
  await removeFloatingIps(scope);
  await removePorts(scope);
  const leaving = await removeNode(scope);
  if (leaving) return { phase: 'Terminated', progress: 90, retryAfterMs: DRAIN_INTERVAL_MS, ...leaving };
  return undefined;
}

/** Drains the node. Returns what it waits for, or undefined when the server may be deleted. */
async function drain(scope: MachineScope): Promise<DrainWait | undefined> {
  const { machine } = scope;
  if (isClusterGoing(scope) || machine.status?.phase === 'Terminated') return undefined;
  const isRenewal = machine.spec.onDrainTimeout === 'Hold';
  return drainNode(scope, { startTime: machine.metadata.deletionTimestamp, goal: 'the server goes', isRenewal });
}

function isClusterGoing({ cluster }: MachineScope): boolean {
  return cluster === undefined || cluster.metadata.deletionTimestamp !== undefined;
}

/** Usually the next list requeues; there is no event for a server that was deleted before any list showed it. */
const LOOK_AGAIN_MS = 1_000;
const NO_CLOUD_RETRY_MS = 60_000;
/** The percent at which a step is done: it is drained, its server is gone, and so is its node. */
const DELETED_AT = [40, 90, 100];

/** Deletes the machine's servers. Undefined when a list that can be trusted shows none. */
async function removeServers(
  scope: MachineScope,
): Promise<Pick<Waiting, 'reason' | 'message' | 'retryAfterMs'> | undefined> {
  const { cloud, dependencies } = scope;
  if (cloud === undefined) {
    const { cluster, machine } = scope;
    const { serverID } = machine.status ?? {};
    if (serverID === undefined) return undefined;
    const { reason, message } = missingCloud(cluster ?? { metadata: machine.metadata, spec: {} });
    const words = `server ${serverID} cannot be deleted: ${message}`;
    return { reason, message: words, retryAfterMs: NO_CLOUD_RETRY_MS };
  }
  await requireOwnProject(cloud, scope.cluster);
  // Servers requested by an earlier run of this process may still appear.
  if (scope.now() > cloud.trustedFromMs) await cloud.cache.servers.refreshAfter(cloud.trustedFromMs);
  const owned = await scope.listedServers();
  const listedAtMs = cloud.cache.servers.snapshot().listedAtMs;
  const problem = { reason: ConditionReason.Deleting, message: 'the cloud deletes the server' };
  dependencies.expectations.expect(scope.key, cloud.cache.servers, 'deletion');
  if (owned === undefined || listedAtMs === undefined) return problem;
  if (owned.kind === 'settling') return { ...problem, retryAfterMs: Math.max(owned.untilMs - scope.now(), 0) + 1 };
  const known = scope.machine.status?.serverID;
  const isAsked = scope.machine.status?.phase === 'Terminated';
  // A list of several pages may miss a server: the known one is deleted even if not listed.
  const ids = new Set([...owned.items.map(({ id }) => id), ...(known !== undefined && !isAsked ? [known] : [])]);
  await Promise.all([...ids].map((id) => deleteServer(scope, id)));
  if (ids.size > 0 || owned.deleting.length > 0) return { ...problem, retryAfterMs: LOOK_AGAIN_MS };
  if (listedAtMs < cloud.trustedFromMs)
    return { ...problem, retryAfterMs: Math.max(cloud.trustedFromMs - scope.now(), 0) + 1 };
  return undefined;
}

/** Removes the node and its token from the cluster. Returns what it waits for, at most as long as for a drain. */
async function removeNode(scope: MachineScope): Promise<Problem | undefined> {
  const { tenant, cluster, machine, dependencies } = scope;
  if (isClusterGoing(scope) || cluster === undefined) return undefined;
  const isPatient = drainTimeLeftMs(scope, machine.metadata.deletionTimestamp) > 0;
  if (tenant === undefined) {
    if (scope.isNodeKnown) return undefined;
    const message = 'the API server of the cluster is not connected yet';
    return isPatient ? { reason: ConditionReason.Deleting, message } : leaveBehind(scope, message);
  }
  const { name = '' } = machine.metadata;
  try {
    await ofTenant(ignoreGone(tenant.client.resource(tenantNodes).delete(name, { signal: scope.signal })));
    await dependencies.bootstrapper.revoke(cluster, machine);
    return undefined;
  } catch (error) {
    const problem = tenantProblemOf(error);
    if (problem === undefined) throw error;
    return isPatient ? problem : leaveBehind(scope, problem.message);
  }
}

/** Told on the Cluster, which outlives the Machine. */
function leaveBehind({ cluster, machine, dependencies }: MachineScope, why: string): undefined {
  if (cluster === undefined) return;
  const { name } = machine.metadata;
  const left = `node ${name} and its bootstrap token were left in the cluster: ${why}`;
  const message = `${left}; the token ends by itself within a day, the node goes with: kubectl delete node ${name}`;
  dependencies.events.warning(cluster, 'NodeLeftBehind', message);
}

async function report(
  scope: MachineScope,
  { phase, progress, reason, message, isKept }: Omit<Waiting, 'retryAfterMs'>,
): Promise<void> {
  const { machine, dependencies } = scope;
  const nowMs = scope.now();
  const previous = machine.status;
  const states: ConditionState[] = [
    { type: ConditionType.Ready, status: 'False' as const, reason, message },
    {
      type: ConditionType.Drained,
      status: phase === 'Terminated' ? ('True' as const) : ('False' as const),
      reason,
      message,
    },
  ];
  const isEnded = findCondition(previous?.conditions, ConditionType.KeptForInspection) !== undefined;
  const kept = {
    type: ConditionType.KeptForInspection,
    status: isKept ? ('True' as const) : ('False' as const),
    reason,
    message,
  };
  // What fails for a moment, or is drained once more, ends nothing.
  if (isKept || (isEnded && phase === 'Terminated')) states.push(kept);
  let conditions = previous?.conditions ?? [];
  for (const state of states) conditions = [...setCondition(conditions, state, nowMs)];
  const steps = stepsOf(progress, DELETED_AT);
  const next = { type: 'Delete', state: 'Processing', progress, description: message, reason, steps } as const;
  const lastOperation = operation(previous?.lastOperation, next, nowMs);
  const status: MachineStatus = { ...previous, phase, conditions, lastOperation };
  await writeStatus(dependencies.client.resource(machines), machine, status);
  if (isKept) announceKeeping(scope, { reason, message, retryAfterMs: 0 });
  if (phase !== previous?.phase) scope.announce(status);
}
