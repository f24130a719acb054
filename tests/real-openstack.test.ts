import { REPAIR_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NewNodePool, type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { findCondition } from '@fairway/kube/controller/conditions';
import { eventually, eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { ServiceApi } from '@fairway/openstack/service-api';
import type { Server } from '@fairway/openstack/types/server';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FairwayOnCloud, startFairwayOn } from './main-job/fairway-on-cloud.ts';
import { JOB_TARGETS, type JobCloud } from './main-job/job-clouds.ts';
import { type ResourceIds, resourceIds } from './main-job/resource-ids.ts';
import { allowAllStrategies } from './session/all-strategies.ts';

const namespace = 'default';
/** For work that lists the cloud's resources several times and creates a handful of servers. */
const waitOptions = { deadlineMs: 400_000 };

/**
 * The same controllers and the same scenario on the simulated cloud and on a real one. Each step builds on the previous
 * one.
 */
describe.each(JOB_TARGETS)('the main job on $name', (target) => {
  describe.skipIf(target.isMissing)('the lifecycle of a cluster in an existing project', () => {
    let cloud: JobCloud;
    let fairway: FairwayOnCloud;
    let before: ResourceIds;

    beforeAll(async () => {
      cloud = await target.open();
      // External changes to a server are noticed within this time; the default of a minute would be most of this test.
      fairway = await startFairwayOn(cloud, { observeMs: 3_000, settleMs: 1_000 });
      await allowAllStrategies(fairway.api);
      before = await resourceIds(fairway.member);
    });

    afterAll(async () => {
      // Runs even after a failure, so that the project is left as it was found.
      await fairway?.api.resource(clusters).deleteCollection({ namespace });
      if (fairway)
        await eventually(fairway.api.resource(clusters), { namespace }, (all) => all.length === 0, waitOptions);
      await fairway?.close();
      await cloud?.close();
    });

    async function createCluster(name: string, spec: NewCluster['spec'] = {}): Promise<void> {
      const cluster: NewCluster = { metadata: { name, namespace }, spec };
      await fairway.api.resource(clusters).create(cluster as Cluster);
    }

    async function createPool(name: string, spec: Partial<NewNodePool['spec']> & { clusterName: string }) {
      const pool: NewNodePool = { metadata: { name, namespace }, spec: { flavor: cloud.flavor, ...spec } };
      await fairway.api.resource(nodePools).create(pool as NodePool);
    }

    const scale = (name: string, replicas: number) =>
      fairway.api.resource(nodePools).patch(name, { type: 'merge', value: { spec: { replicas } } }, { namespace });

    const clusterReady = (name: string) =>
      eventuallyObject(fairway.api.resource(clusters), { namespace, name }, expectReady, waitOptions);

    function expectReady({ metadata, status }: Cluster | NodePool) {
      expect(status?.observedGeneration).toBe(metadata.generation);
      expect(findCondition(status?.conditions, 'Ready')).toMatchObject({ status: 'True' });
      return true;
    }

    /** The machines of a pool, once exactly this many exist and are Ready. */
    async function readyMachines(pool: string, count: number): Promise<readonly Machine[]> {
      const belongsToPool = ({ spec }: Machine) => spec.nodePoolName === pool;
      const found = await eventually(
        fairway.api.resource(machines),
        { namespace },
        (all) => {
          const phases = all.filter(belongsToPool).map(({ status }) => status?.phase);
          expect(phases).toEqual(Array.from({ length: count }, () => 'Ready'));
          return true;
        },
        waitOptions,
      );
      return found.filter(belongsToPool);
    }

    async function serversOf(members: readonly Machine[]): Promise<readonly Server[]> {
      return Promise.all(members.map(({ status }) => fairway.member.compute.servers.get(status?.serverID ?? '')));
    }

    async function conditionOf(pool: string, reason: string): Promise<string> {
      let message = '';
      await eventuallyObject(
        fairway.api.resource(nodePools),
        { namespace, name: pool },
        ({ status }) => {
          const ready = findCondition(status?.conditions, 'Ready');
          expect(ready).toMatchObject({ status: 'False', reason });
          message = ready?.message ?? '';
          return true;
        },
        waitOptions,
      );
      return message;
    }

    /** Like the operator's `openstack quota set`; returns the previous limit. */
    async function setInstances(instances: number): Promise<number> {
      const projectId = await fairway.member.session.projectId();
      const { maxTotalInstances } = await fairway.member.compute.limits();
      const api = new ServiceApi(fairway.admin.session, 'compute', { name: 'compute', wanted: '2.90' });
      const call = { params: { id: projectId }, body: { quota_set: { instances } } };
      await api.send('PUT', '/os-quota-sets/{id}', call);
      return maxTotalInstances;
    }

    it('creates a cluster with its network, control plane and nodes', async () => {
      await createCluster('job');
      await createPool('general', { clusterName: 'job', replicas: 2 });

      const { status } = await clusterReady('job');

      expect(status?.nodes).toMatchObject({ desired: 2, current: 2, ready: 2 });
      const servers = await serversOf(await readyMachines('general', 2));
      for (const server of servers) {
        expect(server).toMatchObject({ status: 'ACTIVE' });
        expect(serverOwner(server)).toBeDefined();
      }
      const router = await fairway.member.network.routers.get(status?.network?.routerID ?? '');
      expect(router.external_gateway_info?.network_id).toBe(status?.network?.externalNetworkID);
    });

    it('scales up and down', async () => {
      await scale('general', 4);
      const fourMachines = await readyMachines('general', 4);
      await scale('general', 2);
      const two = await readyMachines('general', 2);

      const ids = two.map(({ status }) => status?.serverID);
      expect(fourMachines.map(({ status }) => status?.serverID)).toEqual(expect.arrayContaining(ids));
      const listed = await Array.fromAsync(fairway.member.compute.servers.list({ tags: ['fairway'] }));
      expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(ids));
      await clusterReady('job');
    });

    it('replaces a deleted machine', async () => {
      const [deletedMachine] = await readyMachines('general', 2);
      await fairway.api.resource(machines).delete(deletedMachine?.metadata.name ?? '', { namespace });
      await eventuallyDeleted(
        fairway.api.resource(machines),
        { namespace, name: deletedMachine?.metadata.name ?? '' },
        waitOptions,
      );

      const names = (await readyMachines('general', 2)).map(({ metadata }) => metadata.name);

      expect(names).not.toContain(deletedMachine?.metadata.name);
    });

    it('replaces a server that was deleted in the cloud', async () => {
      const [victim] = await readyMachines('general', 2);
      await fairway.member.compute.servers.delete(victim?.status?.serverID ?? '');
      await eventuallyDeleted(
        fairway.api.resource(machines),
        { namespace, name: victim?.metadata.name ?? '' },
        waitOptions,
      );

      const ids = (await readyMachines('general', 2)).map(({ status }) => status?.serverID);

      expect(ids).not.toContain(victim?.status?.serverID);
      await clusterReady('job');
    });

    it('reinstalls the server of a broken node, with its address', async () => {
      const [brokenMachine, other] = await readyMachines('general', 2);
      const name = brokenMachine?.metadata.name ?? '';
      const [before] = await serversOf(brokenMachine ? [brokenMachine] : []);
      await fairway.member.compute.servers.stop(before?.id ?? '');
      const annotations = { [REPAIR_ANNOTATION]: 'now' };
      const value = { metadata: { annotations } };
      await fairway.api.resource(machines).patch(name, { type: 'merge', value }, { namespace });

      await eventuallyObject(
        fairway.api.resource(machines),
        { namespace, name },
        ({ spec, status }) => {
          expect(spec.reinstallTime).toBeDefined();
          expect(status).toMatchObject({ phase: 'Ready', serverID: before?.id });
          expect(status?.marks?.repair).toBeUndefined();
          expect(status?.reinstall).toBeUndefined();
          return true;
        },
        waitOptions,
      );

      const [after] = await serversOf(brokenMachine ? [brokenMachine] : []);
      expect(after).toMatchObject({ id: before?.id, status: 'ACTIVE' });
      expect(after?.addresses).toEqual(before?.addresses);
      expect(after?.metadata).not.toEqual(before?.metadata);
      const [kept] = (await readyMachines('general', 2)).filter(({ metadata }) => metadata.name !== name);
      expect(kept?.status?.serverID).toBe(other?.status?.serverID);
    });

    it('replaces the nodes of a pool one by one, without ever having fewer than desired', async () => {
      const before = await readyMachines('general', 2);
      const upgradeStrategy = { type: 'Rolling', maxSurge: 1, maxUnavailable: 0 };
      const value = { spec: { flavor: cloud.largerFlavor, upgradeStrategy } };
      await fairway.api.resource(nodePools).patch('general', { type: 'merge', value }, { namespace });

      let minReady = before.length;
      await eventually(
        fairway.api.resource(machines),
        { namespace },
        (all) => {
          minReady = Math.min(minReady, all.filter(({ status }) => status?.phase === 'Ready').length);
          const settled = all.map(({ spec, status }) => `${spec.flavor} ${status?.phase}`);
          expect(settled).toEqual([`${cloud.largerFlavor} Ready`, `${cloud.largerFlavor} Ready`]);
          return true;
        },
        waitOptions,
      );

      expect(minReady).toBe(2);
      const after = await readyMachines('general', 2);
      const ids = before.map(({ status }) => status?.serverID);
      expect(after.filter(({ status }) => ids.includes(status?.serverID))).toEqual([]);
      const listed = await Array.fromAsync(fairway.member.compute.servers.list({ tags: ['fairway'] }));
      expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(after.map(({ status }) => status?.serverID)));
    });

    it('gives nodes floating IPs, and removes them', async () => {
      const floatingIPs = (enabled: boolean) => ({
        type: 'merge' as const,
        value: { spec: { floatingIPs: { enabled } } },
      });
      await createPool('public', { clusterName: 'job', replicas: 1, floatingIPs: { enabled: true } });
      const address = async (hasFloatingIP: boolean) => {
        await eventually(
          fairway.api.resource(machines),
          { namespace },
          (all) => {
            const [machine] = all.filter(({ spec }) => spec.nodePoolName === 'public');
            expect(machine?.status?.phase).toBe('Ready');
            const external = machine?.status?.addresses?.filter(({ type }) => type === 'ExternalIP') ?? [];
            expect(external).toHaveLength(hasFloatingIP ? 1 : 0);
            return true;
          },
          waitOptions,
        );
      };

      await address(true);
      const memberFloatingIps = () => Array.fromAsync(fairway.member.network.floatingIps.list());
      expect(await memberFloatingIps()).toHaveLength(1);

      await fairway.api.resource(nodePools).patch('public', floatingIPs(false), { namespace });
      await address(false);
      expect(await memberFloatingIps()).toHaveLength(0);

      await fairway.api.resource(nodePools).patch('public', floatingIPs(true), { namespace });
      await address(true);
      await fairway.api.resource(nodePools).delete('public', { namespace });
      await eventuallyDeleted(fairway.api.resource(nodePools), { namespace, name: 'public' }, waitOptions);
      expect(await memberFloatingIps()).toHaveLength(0);
    });

    it('keeps the nodes of a pool on separate hosts, and reports when the cloud has no more hosts', async () => {
      await createPool('apart', { clusterName: 'job', replicas: 2, antiAffinity: true });
      const members = await readyMachines('apart', 2);
      const group = members[0]?.spec.serverGroupID ?? '';
      const { members: groupMembers } = await fairway.member.compute.serverGroups.get(group);
      expect(new Set(groupMembers)).toEqual(new Set(members.map(({ status }) => status?.serverID)));

      // Three hosts can run three nodes on separate hosts.
      await scale('apart', 4);
      expect(await conditionOf('apart', 'AntiAffinityUnsatisfiable')).toMatch(/no other hypervisor/);
      await scale('apart', 3);
      await readyMachines('apart', 3);

      await fairway.api.resource(nodePools).delete('apart', { namespace });
      await eventuallyDeleted(fairway.api.resource(nodePools), { namespace, name: 'apart' }, waitOptions);
      const groups = await Array.fromAsync(fairway.member.compute.serverGroups.list());
      expect(groups.map(({ id }) => id)).not.toContain(group);
    });

    it('reports an exhausted quota, and continues when it is raised', async () => {
      const limit = await setInstances(3);
      try {
        await scale('general', 4);
        expect(await conditionOf('general', 'QuotaExceeded')).toMatch(/quota/i);
      } finally {
        await setInstances(limit);
      }
      await readyMachines('general', 4);
      await scale('general', 2);
      await readyMachines('general', 2);
    });

    it('uses the given network, and leaves it unchanged', async () => {
      const { networks, subnets } = fairway.member.network;
      const own = await networks.create({ name: 'brought-along' });
      try {
        await subnets.create({ network_id: own.id, ip_version: 4, cidr: '192.168.77.0/24', name: 'brought-along' });
        const withOwnResources = await resourceIds(fairway.member);
        await createCluster('guest', { network: { networkID: own.id } });
        await createPool('guest', { clusterName: 'guest', replicas: 1 });

        const { status } = await clusterReady('guest');
        expect(status?.network?.networkID).toBe(own.id);
        const [machine] = await readyMachines('guest', 1);
        expect(machine?.status?.address).toMatch(/^192\.168\.77\./);

        await fairway.api.resource(clusters).delete('guest', { namespace });
        await eventuallyDeleted(fairway.api.resource(clusters), { namespace, name: 'guest' }, waitOptions);
        expect(await resourceIds(fairway.member)).toEqual(withOwnResources);
      } finally {
        await networks.delete(own.id);
      }
    });

    it('deletes the cluster, and returns the project to its original state', async () => {
      await fairway.api.resource(clusters).delete('job', { namespace });
      await eventuallyDeleted(fairway.api.resource(clusters), { namespace, name: 'job' }, waitOptions);

      expect(await resourceIds(fairway.member)).toEqual(before);
    });
  });
});
