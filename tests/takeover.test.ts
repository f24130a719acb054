import type { Service } from '@fairway/kube/kinds/generated/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JOB_TARGETS, type JobCloud } from './main-job/job-clouds.ts';
import { ProvidedCluster } from './provided-cluster/provided-cluster.ts';
import { SharedProject } from './takeover/shared-project.ts';
import { upstreamProgram } from './upstream-cloud-provider/binaries.ts';

const NODES = ['alpha', 'beta'];
const SERVICES = ['web', 'inside', 'guest'];
const LOAD_BALANCER_ID_ANNOTATION = 'loadbalancer.openstack.org/load-balancer-id';
const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
const POLL_OPTIONS = { timeout: 400_000, interval: 1_000 };

const upstream = upstreamProgram('openstack-cloud-controller-manager');
const skipped = upstream === undefined ? ' (skipped: "testbed/cloud-provider-openstack/testbed build" makes it)' : '';

/**
 * Two clusters in one project with load balancers of upstream's controller manager. One of them migrates. Each step
 * builds on the previous one.
 */
describe.each(JOB_TARGETS)(`takeover from cloud-provider-openstack${skipped} on $name`, (target) => {
  describe.skipIf(target.isMissing || upstream === undefined)('on three Services', () => {
    let cloud: JobCloud;
    let project: SharedProject;
    let cluster: ProvidedCluster;
    let other: ProvidedCluster;
    let before: Awaited<ReturnType<SharedProject['loadBalancerTrees']>>;
    let others: typeof before;
    let addresses: readonly (string | undefined)[];

    const addressOf = ({ status }: Service) => status?.loadBalancer?.ingress?.[0]?.ip;
    const hasAddress = (service: Service) => addressOf(service) !== undefined;
    const belongsToOtherCluster = ({ name }: { readonly name: string }) => name.startsWith('kube_service_other_');
    const own = async () => (await project.loadBalancerTrees()).filter((tree) => !belongsToOtherCluster(tree));
    const portsOf = async (name: string) =>
      (await own()).find((tree) => tree.name.endsWith(`_${name}`))?.listeners.map((each) => each.split(' ')[0]);

    function runUpstream(of: ProvidedCluster, name: string): void {
      const controllers = '--controllers=cloud-node-controller,service-lb-controller';
      const flags = ['--cloud-provider=openstack', '--leader-elect=false', '--secure-port=0', controllers];
      of.run(upstream ?? '', `--cluster-name=${name}`, ...flags);
    }

    beforeAll(async () => {
      cloud = await target.open();
      const provider = target.name === 'the simulator' ? 'amphora' : 'ostest';
      project = await SharedProject.open(cloud, provider, NODES);
      other = await ProvidedCluster.start(project.conf, NODES);
      cluster = await ProvidedCluster.start(project.conf, NODES);
    });

    afterAll(async () => {
      await cluster?.close();
      await other?.close();
      await project?.close();
      await cloud?.close();
    });

    it('upstream creates the load balancers: one for two of the Services, and one in the other cluster', async () => {
      runUpstream(cluster, 'peer');
      runUpstream(other, 'other');
      await other.create('web', [80]);
      await cluster.create('web', [80, 443]);
      await cluster.create('inside', [5432], INTERNAL);
      const web = await cluster.waitForService('web', hasAddress);
      const id = web.metadata.annotations?.[LOAD_BALANCER_ID_ANNOTATION] ?? '';
      await cluster.create('guest', [8080], { [LOAD_BALANCER_ID_ANNOTATION]: id });
      addresses = await Promise.all(
        SERVICES.map(async (name) => addressOf(await cluster.waitForService(name, hasAddress))),
      );
      await other.waitForService('web', hasAddress);
      await expect.poll(() => portsOf('web'), POLL_OPTIONS).toHaveLength(3);
      await cluster.stop();
      await other.stop();

      before = await own();
      others = (await project.loadBalancerTrees()).filter(belongsToOtherCluster);
      expect(before.map(({ name }) => name).toSorted()).toEqual([
        'kube_service_peer_default_inside',
        'kube_service_peer_default_web',
      ]);
    });

    it('Fairway takes the load balancers over in place, and keeps every address', async () => {
      const flags = ['--cluster-name=peer', '--leader-elect=false', '--cloud-provider=openstack'];
      cluster.runFairway(...flags, '--adopt-cluster-name=peer');
      const isReady = ({ status }: Service) =>
        status?.conditions?.some(({ type, status: is }) => type === 'fairway.dev/LoadBalancerReady' && is === 'True') ??
        false;
      const ready = await Promise.all(SERVICES.map((name) => cluster.waitForService(name, isReady)));

      expect(ready.map(addressOf)).toEqual(addresses);
      const partsOf = ({ id, listeners, pools }: (typeof before)[number]) => ({ id, listeners, pools });
      expect((await own()).map(partsOf).toSorted(byId)).toEqual(before.map(partsOf).toSorted(byId));
    });

    it('changes converge even if Fairway is killed partway through', async () => {
      await cluster.patch('web', { spec: { ports: [{ $patch: 'delete', port: 443 }] } });
      await cluster.stop('SIGKILL');
      await cluster.patch('guest', { spec: { ports: [{ name: 'p9', port: 9090, protocol: 'TCP' }] } });
      // Once everything belongs to Fairway, upstream's name no longer matters.
      cluster.runFairway('--cluster-name=peer', '--leader-elect=false');

      await expect.poll(() => portsOf('web'), POLL_OPTIONS).toEqual(['80', '8080', '9090']);
      expect(addressOf(await cluster.waitForService('guest', hasAddress))).toBe(addresses[0]);
    });

    it('deletion leaves nothing behind, and does not change the other cluster’s load balancer', async () => {
      for (const name of SERVICES) await cluster.delete(name);

      await expect.poll(() => own(), POLL_OPTIONS).toEqual([]);
      expect(await project.loadBalancerTrees()).toEqual(others);
      const remaining = await project.floatingIps();
      expect(remaining.map(({ description }) => description)).toEqual([
        'Floating IP for Kubernetes external service default/web from cluster other',
      ]);
    });
  });
});

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}
