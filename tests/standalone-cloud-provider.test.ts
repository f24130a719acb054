import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { TestCluster } from '@fairway/hollow/testing/test-cluster';
import type { Node } from '@fairway/kube/kinds/generated/types';
import { Leases, Nodes, Services } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { eventually, eventuallyGone, eventuallyObject } from '@fairway/kube/testing/eventually';
import type { Cloud } from '@fairway/openstack/cloud';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { JOB_TARGETS, type JobCloud } from './main-job/job-clouds.ts';
import { serve } from './upstream-cloud-provider/served-cluster.ts';

const MAIN = new URL('../packages/cli/src/main.ts', import.meta.url).pathname;
const MANIFEST = new URL('../deploy/cloud-provider/cloud-provider.yaml', import.meta.url).pathname;
const ACCOUNT = 'fairway-cloud-provider';
const namespace = 'default';
const patience = { deadlineMs: 400_000 };
const POLL = { timeout: 400_000, interval: 1_000 };
const NODES = ['alpha', 'beta'];

/** A cluster that Fairway did not make, and nothing told of its cloud but the name: each step builds on the one before. */
describe.each(JOB_TARGETS)('the cloud provider alone on $name', (target) => {
  describe.skipIf(target.isMissing)('from nodes made by hand to nothing left', () => {
    let cloud: JobCloud;
    let connection: Cloud;
    let member: OpenStackClient;
    let cluster: TestCluster;
    let folder: string;
    let provider: ChildProcess | undefined;
    /** Aborts when it has ended by itself, which no step waits for. */
    let ended: AbortController;
    const made: (() => Promise<unknown>)[] = [];

    beforeAll(async () => {
      cloud = await target.open();
      const opening = { clock: systemClock, random: Math.random, log: silentLogger };
      connection = openCloud(readCloudsYaml(cloud.cloudsYaml), cloud.member, opening);
      member = connection.client();
      folder = await mkdtemp(join(tmpdir(), 'fairway-standalone-'));
      cluster = await TestCluster.start({ realTime: true, nodes: [] });
      await grantRights();
      await writeFile(join(folder, 'kubeconfig'), await serve(cluster, `system:serviceaccount:kube-system:${ACCOUNT}`));
      const networkID = await makeNetwork();
      for (const name of NODES) await makeNode(name, networkID);
      start();
    });

    afterAll(async () => {
      await end('SIGTERM');
      await cluster?.[Symbol.asyncDispose]();
      for (const remove of made.reverse()) await remove();
      await connection?.close();
      await cloud?.close();
      if (folder) await rm(folder, { recursive: true });
    });

    beforeEach(() => ended.signal.throwIfAborted());

    /** Those of the manifest, and no others. */
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
      const log = openSync(join(folder, 'log'), 'a');
      const flags = ['--kubeconfig', join(folder, 'kubeconfig'), '--cloud', cloud.member, '--cluster-name', 'alone'];
      provider = spawn(process.execPath, [MAIN, 'cloud-provider', ...flags], {
        stdio: ['ignore', log, log],
        env: { ...process.env, OS_CLIENT_CONFIG_FILE: cloud.cloudsYaml },
      });
      const own = new AbortController();
      ended = own;
      provider.once('exit', (code) => own.abort(new Error(`it ended with ${code}: ${logged()}`)));
    }

    const logged = () => readFileSync(join(folder, 'log'), 'utf8').slice(-2_000);

    /** Rejects when the process ends by itself. */
    async function whileItRuns<T>(wait: Promise<T>): Promise<T> {
      const { signal } = ended;
      signal.throwIfAborted();
      const end = once(signal, 'abort').then(() => Promise.reject(signal.reason));
      return Promise.race([wait, end]);
    }

    async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
      if (provider === undefined || provider.exitCode !== null || provider.signalCode !== null) return;
      const exited = once(provider, 'exit');
      provider.kill(signal);
      await exited;
    }

    async function makeNetwork(): Promise<string> {
      const { networks, subnets, routers } = member.network;
      const [external] = await Array.fromAsync(networks.list({ 'router:external': true }));
      const network = await networks.create({ name: 'alone' });
      made.push(() => networks.delete(network.id));
      const subnet = await subnets.create({
        name: 'alone',
        network_id: network.id,
        ip_version: 4,
        cidr: '10.77.0.0/24',
      });
      const gateway = { external_gateway_info: { network_id: external?.id ?? '' } };
      const router = await routers.create({ name: 'alone', ...gateway });
      made.push(() => routers.delete(router.id));
      await routers.addInterface(router.id, { subnet_id: subnet.id });
      made.push(() => routers.removeInterface(router.id, { subnet_id: subnet.id }));
      return network.id;
    }

    async function makeNode(name: string, networkID: string): Promise<void> {
      const { servers, flavors } = member.compute;
      const [sizes, images] = await Promise.all([
        Array.fromAsync(flavors.list()),
        Array.fromAsync(member.images.list()),
      ]);
      const server = await servers.create({
        name,
        flavorRef: sizes.find((each) => each.name === cloud.flavor)?.id ?? '',
        imageRef: images.find((each) => each.name === cloud.image)?.id ?? '',
        networks: [{ uuid: networkID }],
      });
      made.push(async () => {
        await servers.delete(server.id);
        const isListed = async () => (await Array.fromAsync(servers.list())).some(({ id }) => id === server.id);
        await vi.waitUntil(async () => !(await isListed()), POLL);
      });
      const nodes = cluster.client.resource(Nodes);
      const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }];
      await nodes.create({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { taints } });
      const value = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
      await nodes.patch(name, { type: 'strategic', value }, { subresource: 'status' });
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
      whileItRuns(
        eventuallyObject(
          cluster.client.resource(Services),
          { namespace, name },
          ({ status }) => Boolean(status?.loadBalancer?.ingress?.[0]?.ip),
          patience,
        ),
      );

    /** Names of load balancers with their listeners' ports, only once nothing is being changed. */
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

    it('initializes nodes by the servers of their names', async () => {
      const isInitialized = ({ spec, status }: Node) =>
        Boolean(spec.providerID) &&
        !spec.taints?.some(({ key }) => key.startsWith('node.cloudprovider.')) &&
        Boolean(
          status?.addresses?.some(({ type, address }) => type === 'InternalIP' && address.startsWith('10.77.0.')),
        );
      const wait = eventually(cluster.client.resource(Nodes), {}, (all) => all.every(isInitialized), patience);
      const found = await whileItRuns(wait);

      expect(found).toHaveLength(NODES.length);
      for (const { metadata, spec } of found) {
        const id = spec.providerID?.replace('openstack:///', '') ?? '';
        expect((await member.compute.servers.get(id)).name).toBe(metadata.name);
      }
    });

    it('leads by the Lease of cloud controller managers', async () => {
      const lease = await cluster.client.resource(Leases).get('cloud-controller-manager', { namespace: 'kube-system' });

      expect(lease.spec?.holderIdentity).toBeTruthy();
    });

    it('makes a load balancer in the subnet of the nodes, with a floating address', async () => {
      await makeService('web', 80, 443);

      const { status } = await addressed('web');

      const floating = await Array.fromAsync(member.network.floatingIps.list());
      expect(floating.map(({ floating_ip_address: address }) => address)).toEqual([
        status?.loadBalancer?.ingress?.[0]?.ip,
      ]);
      await expect.poll(serving, POLL).toEqual(['kube_service_alone_default_web: 80 443']);
    });

    it('makes no second one of what it was killed over', async () => {
      await makeService('killed', 8080);
      await eventuallyObject(
        cluster.client.resource(Services),
        { namespace, name: 'killed' },
        ({ metadata }) => Boolean(metadata.finalizers?.length),
        patience,
      );
      await end('SIGKILL');
      start();

      await addressed('killed');

      await expect
        .poll(serving, POLL)
        .toEqual(['kube_service_alone_default_killed: 8080', 'kube_service_alone_default_web: 80 443']);
      expect(await Array.fromAsync(member.network.floatingIps.list())).toHaveLength(2);
    });

    it('takes a port away', async () => {
      const value = { spec: { ports: [{ $patch: 'delete', port: 443 }] } };
      await cluster.client.resource(Services).patch('web', { type: 'strategic', value }, { namespace });

      await expect
        .poll(serving, POLL)
        .toEqual(['kube_service_alone_default_killed: 8080', 'kube_service_alone_default_web: 80']);
    });

    it('leaves nothing behind, and all servers alone', async () => {
      const services = cluster.client.resource(Services);
      for (const name of ['web', 'killed']) await services.delete(name, { namespace });
      for (const name of ['web', 'killed']) await eventuallyGone(services, { namespace, name }, patience);

      expect(await Array.fromAsync(member.network.floatingIps.list())).toEqual([]);
      await expect.poll(serving, POLL).toEqual([]);
      const servers = await Array.fromAsync(member.compute.servers.list());
      expect(new Map(servers.map(({ name, tags }) => [name, tags]))).toEqual(new Map(NODES.map((name) => [name, []])));
    });
  });
});
