import { join } from 'node:path';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { Informer } from '@fairway/kube/client/informer';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Node } from '@fairway/kube/kinds/generated/types';
import { Nodes } from '@fairway/kube/kinds/resources';
import { ServiceApi } from '@fairway/openstack/service-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onlySubfolder, pidsOf } from './process-runtime/local-processes.ts';
import { testReleases } from './process-runtime/releases.ts';
import { ProvisionedCluster } from './session/provisioned-cluster.ts';

const { offered } = await testReleases();
/** A hung control plane is restarted after two minutes; a silent node is NotReady after one, and repaired after two more. */
const deadlineMs = 400_000;

const MANIFEST = `
apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: { name: demo }
spec: { plan: free }
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: { name: by-plan }
spec:
  clusterName: demo
  flavor: b3-8
  replicas: 2
  healing: { notReadyTimeout: 1m, maxUnhealthy: 50% }
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: { name: replaced }
spec:
  clusterName: demo
  flavor: b3-8
  replicas: 2
  healing: { notReadyTimeout: 1m, maxUnhealthy: 50%, strategy: Replace }
`;

/** Repair of nodes that stop reporting, or seem to. Each case continues from the previous one. */
describe.skipIf(offered === undefined)(
  `healing by time, with Kubernetes ${offered?.version ?? '(skipped: no binaries of 1.31 or later are found)'}`,
  () => {
    let cluster: ProvisionedCluster;
    /** All machines that have ever been marked for repair. */
    const unhealthy = new Set<string>();
    const stopWatching = new AbortController();
    let before: readonly Machine[];

    const machinesOf = (all: readonly Machine[], pool: string) => all.filter(({ spec }) => spec.nodePoolName === pool);
    const isReady = ({ status }: Machine) => status?.phase === 'Ready';
    const haveRecovered = (all: readonly Machine[]) => all.length === 4 && all.every(isReady);
    /** The state that a repair changes. */
    const identityOf = ({ metadata, spec, status }: Machine) => ({
      name: metadata.name,
      uid: metadata.uid,
      serverID: status?.serverID,
      reinstallTime: spec.reinstallTime,
      installed: status?.installed,
    });
    const panic = (machine: Machine) =>
      cluster.callCloud(async (cloud) => {
        const nova = new ServiceApi(cloud.client().session, 'compute', { name: 'compute', wanted: '2.17' });
        const params = { id: machine.status?.serverID ?? '' };
        await nova.send('POST', '/servers/{id}/action', { params, body: { trigger_crash_dump: null } });
      });
    const bootID = async ({ metadata }: Machine) => {
      const node = await cluster.tenant.resource<Node>(Nodes).get(metadata.name ?? '');
      return node.status?.nodeInfo?.bootID;
    };

    beforeAll(async () => {
      const options = ['--cloud-check', '3s'];
      cluster = await ProvisionedCluster.create({ manifest: MANIFEST, controlPlane: 'process', options, deadlineMs });
      before = await cluster.waitForMachines(haveRecovered);
      const informer = new Informer(cluster.own.resource<Machine>(machines), cluster.where);
      const note = ({ metadata, status }: Machine) => {
        if (status?.marks?.repair?.due) unhealthy.add(metadata.name ?? '');
      };
      informer.addHandler({ onAdd: note, onUpdate: (_, machine) => note(machine) });
      informer.start(stopWatching.signal);
    });
    afterAll(async () => {
      stopWatching.abort();
      await cluster?.[Symbol.asyncDispose]();
    });

    test('does not repair nodes while an API server hangs for longer than a node may be NotReady', async () => {
      const isControlPlane = (status: string) => (found: Cluster) =>
        findCondition(found.status?.conditions, 'ControlPlaneReady')?.status === status;
      const folder = onlySubfolder(join(cluster.home, 'control-planes'));
      const hangingServer = pidsOf(folder)['kube-apiserver'] ?? 0;

      process.kill(hangingServer, 'SIGSTOP');
      await cluster.waitForCluster(isControlPlane('False'));
      await cluster.waitForCluster(isControlPlane('True'));

      expect(pidsOf(folder)['kube-apiserver']).not.toBe(hangingServer);
      const after = await cluster.waitForMachines(haveRecovered);
      expect(after.map(identityOf)).toEqual(before.map(identityOf));
      expect([...unhealthy]).toEqual([]);
      expect((await cluster.own.resource<Cluster>(clusters).get('demo', cluster.where)).status?.nodes?.ready).toBe(4);
    });

    test('reinstalls or replaces only nodes with silent kubelets, as their pools specify', async () => {
      const [reinstalled] = machinesOf(before, 'by-plan');
      const [replaced] = machinesOf(before, 'replaced');
      if (reinstalled === undefined || replaced === undefined) throw new Error('a pool has no machine');
      const booted = await bootID(reinstalled);

      await Promise.all([panic(reinstalled), panic(replaced)]);
      const after = await cluster.waitForMachines(
        (all) =>
          haveRecovered(all) &&
          all.some(({ metadata, spec }) => metadata.name === reinstalled.metadata.name && spec.reinstallTime) &&
          all.every(({ metadata }) => metadata.name !== replaced.metadata.name),
      );

      const recovered = after.find(({ metadata }) => metadata.name === reinstalled.metadata.name);
      expect(recovered?.status?.serverID).toBe(reinstalled.status?.serverID);
      expect(recovered?.status?.addresses).toEqual(reinstalled.status?.addresses);
      expect(recovered && (await bootID(recovered))).not.toBe(booted);
      expect(machinesOf(after, 'replaced').map(({ status }) => status?.serverID)).not.toContain(
        replaced.status?.serverID,
      );
      const others = (all: readonly Machine[]) =>
        all.filter(
          ({ metadata }) =>
            before.some((machine) => machine.metadata.uid === metadata.uid) &&
            metadata.name !== reinstalled.metadata.name &&
            metadata.name !== replaced.metadata.name,
        );
      expect(others(after).map(identityOf)).toEqual(others(before).map(identityOf));
      expect(unhealthy).toEqual(new Set([reinstalled.metadata.name, replaced.metadata.name]));
    });
  },
);
