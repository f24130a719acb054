import { shouldHaveNoNodes } from '@fairway/api/domain/reset';
import { FINALIZER } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { ensureFinalizer, hasFinalizer } from '@fairway/kube/controller/finalizers';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { describeLoginProblem } from '@fairway/tenancy/credentials/credential-problem';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { ensurePausedCondition } from '../pause.ts';
import { writeStatus } from '../status-writer.ts';
import { warnOfNewReason } from '../waits.ts';
import { adoptPool } from './adoption.ts';
import { ensureBounds } from './bounds.ts';
import { ensureClusterName } from './cluster-name.ts';
import { deletePool } from './deletion.ts';
import { desiredMachines } from './desired-machines.ts';
import { PoolMachines } from './pool-machines.ts';
import type { ProjectQuotas } from './project-quotas.ts';
import { poolStatus } from './status.ts';

type NodePoolDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'tenants' | 'events' | 'defaultImage' | 'clock' | 'random' | 'attempts'
>;

/** Maintains the number of Machines that each NodePool specifies. */
export class NodePoolReconciler {
  readonly #dependencies: NodePoolDependencies;
  readonly #machines: PoolMachines;

  constructor(dependencies: NodePoolDependencies, quotas: ProjectQuotas) {
    this.#dependencies = dependencies;
    this.#machines = new PoolMachines(dependencies, quotas);
  }

  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, client, clock, clouds, events } = this.#dependencies;
    const found = cache.nodePools.get(key);
    if (found === undefined) return {};
    const cluster = cache.clusters.get(`${found.metadata.namespace}/${found.spec.clusterName}`);
    const active = await ensurePausedCondition(client.resource(nodePools), found, cluster, this.#dependencies);
    if (active === undefined) return {};
    const held = await ensureFinalizer(client.resource(nodePools), active, FINALIZER);
    const adopted = await adoptPool(client, await ensureClusterName(client, held, cluster, clock.now()), cluster);
    const cloud = clouds.of(clusterKeyOf(adopted), cluster?.spec.credentialName);
    if (!hasFinalizer(active, FINALIZER)) cloud?.recordNew(identityOf(adopted));
    if (context.userTriggered) {
      cloud?.attempts.retryNow();
      attempts.retryNow((item) => item === identityOf(adopted));
    }
    const pass = new Pass(context, clock);
    if (adopted.metadata.deletionTimestamp !== undefined) {
      return deletePool({ dependencies: this.#dependencies, machines: this.#machines }, adopted, cluster, cloud, pass);
    }
    const nowMs = clock.now();
    const { pool, changeMs } = await ensureBounds(adopted, { client: client.resource(nodePools), events, nowMs });
    if (changeMs !== undefined) pass.requeueAfter(changeMs - nowMs);
    return this.#scale(pool, cluster, cloud, pass);
  }

  async #scale(
    pool: NodePool,
    cluster: Cluster | undefined,
    cloud: ProjectCloud | undefined,
    pass: Pass,
  ): Promise<Result> {
    const { attempts, client, clock, events, tenants } = this.#dependencies;
    const machines = this.#machines;
    const target = await desiredMachines({ dependencies: this.#dependencies, machines }, pool, cluster, cloud, pass);
    // Otherwise, the condition Autoscaled would change.
    const backoffMs = Date.parse(pool.status?.autoscaling?.backoff?.until ?? '') - clock.now();
    if (backoffMs > 0) pass.requeueAfter(backoffMs);
    const { desired, disallowed, serverGroupID } = target;
    let current = machines.of(pool);
    let { problem } = target;
    if (desired && cluster && cloud) {
      const step = { kind: 'machines', item: identityOf(pool) };
      const wasCreationRejected = attempts.lastAttemptFailed(step);
      const resizeResult = await pass.run(() =>
        attempts.withBackoff(step, () =>
          machines.resize(pool, cluster, cloud, { desired, disallowed, serverGroupID, wasCreationRejected }, pass),
        ),
      );
      // The cache will soon contain the machines created before the failure.
      current = resizeResult.value?.machines ?? current;
      problem = resizeResult.failure
        ? describeLoginProblem(resizeResult.failure, { cluster, cloud })
        : resizeResult.value.problem;
    } else if (cluster && !shouldHaveNoNodes(cluster)) {
      const shrinkResult = await pass.run(() => machines.shrink(pool, cluster, pass));
      current = shrinkResult.value ?? current;
    }
    // Scaling down does not depend on the template.
    if (!desired && shouldHaveNoNodes(cluster)) {
      await pass.run(() => machines.delete(current));
    }
    const tenant = cluster && tenants.get(identityOf(cluster));
    return pass.end(async () => {
      const status = poolStatus(pool, {
        cluster,
        machines: current,
        desired,
        problem,
        requestedImage: pool.spec.image ?? cluster?.spec.image,
        serverGroupID,
        flavor: target.flavor,
        chosenZones: target.chosenZones,
        isSchedulable: ({ metadata }) => tenant?.nodes.get(metadata.name ?? '')?.spec?.unschedulable !== true,
        nowMs: clock.now(),
      });
      warnOfNewReason(events, pool, status.conditions);
      await writeStatus(client.resource(nodePools), pool, status);
    });
  }
}
