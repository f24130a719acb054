import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition, isConditionTrue } from '@fairway/kube/controller/conditions';
import { isApiError } from '@fairway/kube/object/api-error';
import { describe, expect, test } from 'vitest';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TestFairway } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;

/** A cluster `demo`, and one of its pools whose clusterName contains a typo. */
class MisnamedPool implements AsyncDisposable {
  readonly clock = new SteppingClock();
  fairway!: TestFairway;
  /** Whether the API server accepted the correction; undefined until the step `correctBefore` is reached. */
  corrected: Promise<boolean> | undefined;
  #step: string | undefined;

  static async start(): Promise<MisnamedPool> {
    const self = new MisnamedPool();
    const { clock } = self;
    self.fairway = await TestFairway.start({
      clock,
      random: seededRandom(7),
      apiFaults: ({ method, path, body }) => {
        const [place = ''] = path.split('?');
        const isClaim = String(body).includes(ConditionReason.WaitingForCluster);
        if (isClaim && place.endsWith('/nodepools/general/status')) self.#reachStep('the claim of the pool');
        if (method === 'POST' && place.endsWith('/machines')) self.#reachStep('its first machine');
        return undefined;
      },
      cloudTransport: (transport) => ({
        send: async (request, signal) => {
          if (request.method === 'POST' && request.url.endsWith('/os-server-groups')) {
            self.#reachStep('its server group');
            await self.corrected;
          }
          return transport.send(request, signal);
        },
        close: () => transport.close(),
      }),
    });
    await clock.during(self.fairway.createCluster());
    await clock.during(self.fairway.clusterReady());
    await clock.during(self.fairway.createPool({ clusterName: 'dmeo', replicas: 2, antiAffinity: true }));
    await self.untilReason((reason) => reason === ConditionReason.ClusterNotFound);
    return self;
  }

  async untilReason(check: (reason: string | undefined) => boolean): Promise<void> {
    const reasonOf = (pool: NodePool | undefined) =>
      findCondition(pool?.status?.conditions, ConditionType.Ready)?.reason;
    await this.clock.during(this.fairway.until(nodePools, ([pool]) => check(reasonOf(pool)), 'general'));
  }

  correctName(): Promise<NodePool> {
    return this.clock.during(this.#rename());
  }

  /** Corrects the name right before the controllers reach this step. */
  correctBeforeStep(step: string): void {
    this.#step = step;
  }

  pause(value: string | null): Promise<NodePool> {
    return this.fairway.patch(nodePools, 'general', { metadata: { annotations: { [PAUSED_ANNOTATION]: value } } });
  }

  /** Sends the correction, so that the API server receives it before the controllers' request. */
  #reachStep(step: string): void {
    if (step !== this.#step) return;
    this.#step = undefined;
    this.corrected = this.#rename().then(
      () => true,
      (error: unknown) => {
        if (isApiError(error, 'Invalid')) return false;
        throw error;
      },
    );
  }

  #rename(): Promise<NodePool> {
    return this.fairway.patch(nodePools, 'general', { spec: { clusterName: 'demo' } });
  }

  /** The state once the pool is Ready and some time has passed. */
  async outcome() {
    const { clock, fairway } = this;
    const pool = await clock.during(fairway.poolReady());
    await clock.pass(5 * MINUTE_MS);
    const { compute } = fairway.process.project.client;
    const machines = await clock.during(fairway.machines());
    const groups = await clock.during(Array.fromAsync(compute.serverGroups.list()));
    const servers = await clock.during(Array.fromAsync(compute.servers.list()));
    const clusterName = pool.spec.clusterName;
    const { metadata } = await clock.during(fairway.client.resource(clusters).get(clusterName, { namespace: 'team' }));
    const owners = pool.metadata.ownerReferences?.map(({ uid }) => uid === metadata.uid);
    return {
      clusterName,
      of: machines.map(({ spec }) => spec.clusterName),
      servers: servers.length,
      groups: groups.length,
      ownedBy: owners,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fairway[Symbol.asyncDispose]();
  }
}

const poolInCluster = (clusterName: string) => ({
  clusterName,
  of: [clusterName, clusterName],
  servers: 2,
  groups: 1,
  ownedBy: [true],
});

describe('a pool with a misspelled cluster name', () => {
  test('creates its nodes in the correct cluster once it is corrected, and its clusterName is immutable from then on', async () => {
    await using misnamedPool = await MisnamedPool.start();

    await misnamedPool.correctName();

    expect(await misnamedPool.outcome()).toEqual(poolInCluster('demo'));
    const { fairway, clock } = misnamedPool;
    const reverted = fairway.patch(nodePools, 'general', { spec: { clusterName: 'dmeo' } });
    await expect(clock.during(reverted)).rejects.toThrow(
      /spec.clusterName: Forbidden: cannot be changed after creation/,
    );
  });

  test('belongs permanently to a cluster of that name if one appears', async () => {
    await using misnamedPool = await MisnamedPool.start();
    const { fairway, clock } = misnamedPool;

    await clock.during(fairway.createCluster({}, 'dmeo'));
    await misnamedPool.untilReason((reason) => reason !== ConditionReason.ClusterNotFound);

    await expect(misnamedPool.correctName()).rejects.toThrow(/spec.clusterName: Forbidden/);
    expect(await misnamedPool.outcome()).toEqual(poolInCluster('dmeo'));
  });

  /** A cluster that is ready before the pool is reconciled, so that everything for the pool is created at once. */
  test.each(['the claim of the pool', 'its server group', 'its first machine'])(
    'is corrected right before %s when such a cluster appears: nothing is duplicated or left behind',
    async (step) => {
      await using misnamedPool = await MisnamedPool.start();
      const { fairway, clock } = misnamedPool;
      await clock.during(misnamedPool.pause('true'));
      await clock.during(fairway.createCluster({}, 'dmeo'));
      const runs = ({ status }: Cluster) => isConditionTrue(status?.conditions, ConditionType.ControlPlaneReady);
      await clock.during(fairway.until(clusters, ([cluster]) => cluster !== undefined && runs(cluster), 'dmeo'));

      misnamedPool.correctBeforeStep(step);
      await clock.during(misnamedPool.pause(null));
      const { clusterName, ...rest } = await misnamedPool.outcome();

      const wasCorrected = await misnamedPool.corrected;
      expect(wasCorrected, 'was it corrected?').toBe(step === 'the claim of the pool');
      expect({ clusterName, ...rest }).toEqual(poolInCluster(wasCorrected ? 'demo' : 'dmeo'));
    },
  );
});
