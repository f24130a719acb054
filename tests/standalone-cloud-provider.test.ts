import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestCluster } from '@fairway/hollow/testing/test-cluster';
import type { Node } from '@fairway/kube/kinds/generated/types';
import { Leases, Nodes, Services } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { eventually, eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { JOB_TARGETS, type JobCloud } from './main-job/job-clouds.ts';
import { createManualNode } from './provided-cluster/manual-node.ts';
import { ProviderProcess } from './provided-cluster/provider-process.ts';
import { ServerProject } from './provided-cluster/server-project.ts';
import { serve } from './upstream-cloud-provider/served-cluster.ts';

const MANIFEST = new URL('../deploy/cloud-provider/cloud-provider.yaml', import.meta.url).pathname;
const ACCOUNT = 'fairway-cloud-provider';
const namespace = 'default';
const waitOptions = { deadlineMs: 400_000 };
const POLL_OPTIONS = { timeout: 400_000, interval: 1_000 };
const NODES = ['alpha', 'beta'];

/** A cluster that Fairway did not create, with only the name of its cloud. Each step builds on the previous one. */
describe.each(JOB_TARGETS)('the standalone cloud provider on $name', (target) => {
  describe.skipIf(target.isMissing)('on manually created nodes', () => {
    let cloud: JobCloud;
    let project: ServerProject;
    let member: OpenStackClient;
    let cluster: TestCluster;
    let folder: string;
    let provider: ProviderProcess;

    beforeAll(async () => {
      cloud = await target.open();
      project = new ServerProject(cloud);
      ({ member } = project);
      folder = await mkdtemp(join(tmpdir(), 'fairway-standalone-'));
      provider = new ProviderProcess(folder);
      cluster = await TestCluster.start({ realTime: true, nodes: [] });
      await grantRights();
      await writeFile(join(folder, 'kubeconfig'), await serve(cluster, `system:serviceaccount:kube-system:${ACCOUNT}`));
      const network = await project.makeNetwork('alone', '10.77.0.0/24');
      for (const name of NODES) {
        await project.boot(name, network);
        await createManualNode(cluster.client, name);
      }
      start();
    });

    afterAll(async () => {
      await provider?.stop();
      await cluster?.[Symbol.asyncDispose]();
      await project?.close();
      await cloud?.close();
      if (folder) await rm(folder, { recursive: true });
    });

    beforeEach(() => provider.throwIfExited());

    /** Runs only the controllers in the manifest. */
    async function grantRights(): Promise<void> {
      for (const object of loadAll(readFileSync(MANIFEST, 'utf8')) as KubeObject[]) {
        const [group = '', version = ''] = object.apiVersion?.split('/') ?? [];
        const { kind = '' } = object;
        if (group !== 'rbac.authorization.k8s.io') continue;
        const type = {
          group,
          version,
          kind,
          plural: `${kind.toLowerCase()}s`,
          namespaced: !kind.startsWith('Cluster'),
        };
        await cluster.client.resource(type).create(object);
      }
    }

    function start(): void {
      const flags = ['--kubeconfig', join(folder, 'kubeconfig'), '--cloud', cloud.member, '--cluster-name', 'alone'];
      provider.startFairway(flags, { OS_CLIENT_CONFIG_FILE: cloud.cloudsYaml });
    }

    async function makeService(name: string, ...ports: readonly number[]): Promise<void> {
      const spec = {
        type: 'LoadBalancer',
        selector: { app: name },
        ports: ports.map((port) => ({ name: `p${port}`, port, protocol: 'TCP' })),
      };
      await cluster.client.resource(Services).create({ metadata: { name, namespace }, spec });
    }

    const addressed = (name: string) =>
      provider.raceWithExit(
        eventuallyObject(
          cluster.client.resource(Services),
          { namespace, name },
          ({ status }) => Boolean(status?.loadBalancer?.ingress?.[0]?.ip),
          waitOptions,
        ),
      );

    /** Names of load balancers with their listeners' ports, once no change is in progress. */
    async function serving(): Promise<readonly string[]> {
      const { loadBalancers, listeners } = member.loadBalancing;
      const found: string[] = [];
      for await (const { id, name, provisioning_status: status } of loadBalancers.list()) {
        if (status !== 'ACTIVE') return [status];
        const all = await Array.fromAsync(listeners.list({ loadbalancer_id: id }));
        const ports = all.map(({ protocol_port: port }) => port).sort((a, b) => a - b);
        found.push(`${name}: ${ports.join(' ')}`);
      }
      return found.sort();
    }

    it('initializes nodes from the servers with the same names', async () => {
      const isInitialized = ({ spec, status }: Node) =>
        Boolean(spec.providerID) &&
        !spec.taints?.some(({ key }) => key.startsWith('node.cloudprovider.')) &&
        Boolean(
          status?.addresses?.some(({ type, address }) => type === 'InternalIP' && address.startsWith('10.77.0.')),
        );
      const wait = eventually(cluster.client.resource(Nodes), {}, (all) => all.every(isInitialized), waitOptions);
      const found = await provider.raceWithExit(wait);

      expect(found).toHaveLength(NODES.length);
      for (const { metadata, spec } of found) {
        const id = spec.providerID?.replace('openstack:///', '') ?? '';
        expect((await member.compute.servers.get(id)).name).toBe(metadata.name);
      }
    });

    it('acquires the Lease of cloud controller managers', async () => {
      const lease = await cluster.client.resource(Leases).get('cloud-controller-manager', { namespace: 'kube-system' });

      expect(lease.spec?.holderIdentity).toBeTruthy();
    });

    it('creates a load balancer in the subnet of the nodes, with a floating IP', async () => {
      await makeService('web', 80, 443);

      const { status } = await addressed('web');

      const floating = await Array.fromAsync(member.network.floatingIps.list());
      expect(floating.map(({ floating_ip_address: address }) => address)).toEqual([
        status?.loadBalancer?.ingress?.[0]?.ip,
      ]);
      await expect.poll(serving, POLL_OPTIONS).toEqual(['kube_service_alone_default_web: 80 443']);
    });

    it('does not create a duplicate if it is killed partway through', async () => {
      await makeService('killed', 8080);
      await eventuallyObject(
        cluster.client.resource(Services),
        { namespace, name: 'killed' },
        ({ metadata }) => Boolean(metadata.finalizers?.length),
        waitOptions,
      );
      await provider.stop('SIGKILL');
      start();

      await addressed('killed');

      await expect
        .poll(serving, POLL_OPTIONS)
        .toEqual(['kube_service_alone_default_killed: 8080', 'kube_service_alone_default_web: 80 443']);
      expect(await Array.fromAsync(member.network.floatingIps.list())).toHaveLength(2);
    });

    it('removes a port', async () => {
      const value = { spec: { ports: [{ $patch: 'delete', port: 443 }] } };
      await cluster.client.resource(Services).patch('web', { type: 'strategic', value }, { namespace });

      await expect
        .poll(serving, POLL_OPTIONS)
        .toEqual(['kube_service_alone_default_killed: 8080', 'kube_service_alone_default_web: 80']);
    });

    it('leaves nothing behind, and does not touch any server', async () => {
      const services = cluster.client.resource(Services);
      for (const name of ['web', 'killed']) await services.delete(name, { namespace });
      for (const name of ['web', 'killed']) await eventuallyDeleted(services, { namespace, name }, waitOptions);

      expect(await Array.fromAsync(member.network.floatingIps.list())).toEqual([]);
      await expect.poll(serving, POLL_OPTIONS).toEqual([]);
      const servers = await Array.fromAsync(member.compute.servers.list());
      expect(new Map(servers.map(({ name, tags }) => [name, tags]))).toEqual(new Map(NODES.map((name) => [name, []])));
    });
  });
});
