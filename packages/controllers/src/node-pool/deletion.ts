import { ConditionReason } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { FINALIZER } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { hasFinalizer, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { Result } from '@fairway/kube/controller/result';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { describeLoginProblem } from '@fairway/tenancy/credentials/credential-problem';
import type { Problem } from '@fairway/tenancy/problem';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';
import { heldObjectsProblem, waitMessage, warnOfWait } from '../waits.ts';
import { deletion } from './last-operation.ts';
import { liveMachinesOf } from './machine-owner.ts';
import type { PoolMachines } from './pool-machines.ts';
import { removeServerGroups } from './server-group.ts';
import { poolStatus } from './status.ts';

export interface DeletionOptions {
  readonly dependencies: Pick<ControllerDependencies, 'attempts' | 'client' | 'clock' | 'events'>;
  readonly machines: PoolMachines;
}

/** Deletes a pool's machines, then its server group, then the pool. */
export async function deletePool(
  { dependencies, machines }: DeletionOptions,
  pool: NodePool,
  cluster: Cluster | undefined,
  cloud: ProjectCloud | undefined,
  pass: Pass,
): Promise<Result> {
  if (!hasFinalizer(pool, FINALIZER)) return {};
  const { attempts, client } = dependencies;
  const uid = identityOf(pool);
  const { value: left = [], failure } = await pass.run(() =>
    attempts.withBackoff({ kind: 'deletion', item: uid }, async () => {
      const live = await liveMachinesOf(client, pool, pass.signal);
      await machines.delete(live);
      if (live.length > 0) return live;
      if (cloud) await requireOwnProject(cloud, cluster);
      if (cloud && pool.spec.antiAffinity) await removeServerGroups(cloud, uid, { signal: pass.signal });
      return [];
    }),
  );
  if (failure === undefined && left.length === 0) {
    attempts.forget(uid);
    await removeFinalizer(client.resource(nodePools), pool, FINALIZER);
    return {};
  }
  const refused = failure && describeLoginProblem(failure, { cluster, cloud });
  return pass.end(() => reportDeletion(dependencies, pool, left, refused));
}

async function reportDeletion(
  { client, clock, events }: DeletionOptions['dependencies'],
  pool: NodePool,
  left: readonly Machine[],
  failure: Problem | undefined,
): Promise<void> {
  const held = heldObjectsProblem([{ noun: 'machine', objects: left }]);
  const count = `${pluralize(left.length, 'machine')} still to be deleted`;
  const leaving = { reason: ConditionReason.Deleting, message: count };
  const { reason, message } = failure ?? (held ? { ...held, message: `${count}; ${held.message}` } : leaving);
  const { lastOperation: last, replicas = 0 } = pool.status ?? {};
  const lastOperation = deletion(last, { left: left.length, replicas, reason, message }, clock.now());
  const status = poolStatus(pool, {
    machines: left,
    desired: undefined,
    // The machines themselves report how long they have been waiting.
    problem: { reason, message: failure ? waitMessage(lastOperation) : message },
    serverGroupID: pool.status?.serverGroupID,
    flavor: undefined,
    isSchedulable: () => false,
    nowMs: clock.now(),
  });
  warnOfWait(events, pool, failure ?? held ?? leaving);
  const counts = { desiredReplicas: 0, readySummary: `${status.readyReplicas ?? 0}/0` };
  await writeStatus(client.resource(nodePools), pool, { ...status, ...counts, phase: 'Deleting', lastOperation });
}
