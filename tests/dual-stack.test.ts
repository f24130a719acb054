import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service, ServiceSpec } from '@fairway/kube/kinds/generated/types';
import { Events, Services } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findAssets, type RealApiServer, startRealApiServer } from './contract/kubernetes/real-api-server.ts';
import { JOB_TARGETS, type JobCloud } from './main-job/job-clouds.ts';
import { createManualNode } from './provided-cluster/manual-node.ts';
import { ProviderProcess } from './provided-cluster/provider-process.ts';
import { ServerProject } from './provided-cluster/server-project.ts';

const namespace = 'default';
const waitOptions = { deadlineMs: 400_000 };
const POLL_OPTIONS = { timeout: 400_000, interval: 1_000 };
const IPV6 = /^fd00:77::/;

const assets = findAssets();
const API_SERVER = assets === undefined ? 'kube-apiserver (skipped: no KUBEBUILDER_ASSETS)' : 'kube-apiserver';

/**
 * Uses a real kube-apiserver with Service ranges of both IP families, and only the cloud provider. Each step builds on
 * the previous one.
 */
describe.each(JOB_TARGETS)(`dual-stack Services of ${API_SERVER} on $name`, (target) => {
  describe.skipIf(target.isMissing || assets === undefined)('the lifecycle of Services on a dual-stack node', () => {
    let cloud: JobCloud;
    let project: ServerProject;
    let member: OpenStackClient;
    let server: RealApiServer;
    let folder: string;
    let provider: ProviderProcess;

    beforeAll(async () => {
      cloud = await target.open();
      project = new ServerProject(cloud);
      ({ member } = project);
      folder = await mkdtemp(join(tmpdir(), 'fairway-dual-stack-'));
      provider = new ProviderProcess(folder);
      server = await startRealApiServer(assets ?? '', { serviceRanges: ['10.3.0.0/16', 'fd00:3::/108'] });
      await writeFile(join(folder, 'kubeconfig'), kubeconfig(server));
      await project.boot('alpha', await project.makeNetwork('dual', '10.77.0.0/24', 'fd00:77::/64'));
      await createManualNode(server.client, 'alpha');
      start();
    });

    afterAll(async () => {
      await provider?.stop();
      await server?.[Symbol.asyncDispose]();
      await project?.close();
      await cloud?.close();
      if (folder) await rm(folder, { recursive: true });
    });

    beforeEach(() => provider.throwIfExited());

    function start(): void {
      const flags = ['--kubeconfig', join(folder, 'kubeconfig'), '--cloud', cloud.member, '--cluster-name', 'dual'];
      provider.startFairway(flags, { OS_CLIENT_CONFIG_FILE: cloud.cloudsYaml });
    }

    function make(name: string, spec: Partial<ServiceSpec>): Promise<Service> {
      const ports = [
        { name: 'http', port: 80, protocol: 'TCP' },
        { name: 'dns', port: 53, protocol: 'UDP' },
      ];
      const body = {
        metadata: { name, namespace },
        spec: { type: 'LoadBalancer', selector: { app: name }, ports, ...spec },
      };
      return server.client.resource(Services).create(body);
    }

    const waitUntil = (name: string, check: (service: Service) => boolean) =>
      eventuallyObject(server.client.resource(Services), { namespace, name }, check, waitOptions);
    const ingressOf = ({ status }: Service) => (status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip ?? '');
    const messageOf = ({ status }: Service) =>
      status?.conditions?.find(({ type }) => type === 'fairway.dev/LoadBalancerReady')?.message ?? '';

    /** The number of IPv4 and IPv6 members behind each listener, once no change is in progress. */
    async function serving(): Promise<readonly string[]> {
      const { loadBalancers, listeners, pools } = member.loadBalancing;
      const found: string[] = [];
      for await (const { id, name, provisioning_status: status } of loadBalancers.list()) {
        if (status !== 'ACTIVE') return [status];
        for await (const { protocol, default_pool_id } of listeners.list({ loadbalancer_id: id })) {
          const members = default_pool_id ? await Array.fromAsync(pools.members(default_pool_id)) : [];
          const ipv6Members = members.filter(({ address }) => address.includes(':')).length;
          found.push(`${name?.split('_').at(-1)} ${protocol}: ${members.length - ipv6Members}+${ipv6Members}`);
        }
      }
      return found.sort();
    }

    it('serves a Service that prefers two families at a floating IP and an IPv6 address', async () => {
      const { spec } = await make('web', { ipFamilyPolicy: 'PreferDualStack' });

      const found = await waitUntil('web', (service) => ingressOf(service).length === 2);

      expect(spec.ipFamilies).toEqual(['IPv4', 'IPv6']);
      const floating = await Array.fromAsync(member.network.floatingIps.list());
      expect(ingressOf(found)[0]).toBe(floating[0]?.floating_ip_address);
      expect(ingressOf(found)[1]).toMatch(IPV6);
      await expect.poll(serving, POLL_OPTIONS).toEqual(['web TCP: 1+0', 'web UDP: 1+1']);
    });

    it('creates a Service with IPv6 first only once, even if it is killed partway through', async () => {
      await make('six', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4'] });
      await waitUntil('six', ({ metadata }) => Boolean(metadata.finalizers?.length));
      await provider.stop('SIGKILL');
      start();

      const found = await waitUntil('six', (service) => ingressOf(service).length === 2);

      expect(ingressOf(found)[0]).toMatch(IPV6);
      await expect
        .poll(serving, POLL_OPTIONS)
        .toEqual(['six TCP: 0+1', 'six UDP: 1+1', 'web TCP: 1+0', 'web UDP: 1+1']);
      expect(await Array.fromAsync(member.network.floatingIps.list())).toHaveLength(2);
    });

    it('keeps the load balancer of a Service that is later changed to require two families, and reports this on the Service', async () => {
      await make('late', { ports: [{ name: 'http', port: 80, protocol: 'TCP' }] });
      const [address] = ingressOf(await waitUntil('late', (service) => ingressOf(service).length === 1));
      const value = { spec: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] } };
      await server.client.resource(Services).patch('late', { type: 'merge', value }, { namespace });

      const reported = await waitUntil('late', (service) => messageOf(service) !== '');

      expect(messageOf(reported)).toMatch(
        /RequireDualStack: load balancer \S+ has no IPv6 address, and Octavia cannot add one/,
      );
      expect(ingressOf(reported)).toEqual([address]);
      const isSyncFailure = ({ reason, involvedObject }: { reason?: string; involvedObject: { name?: string } }) =>
        reason === 'SyncLoadBalancerFailed' && involvedObject.name === 'late';
      await eventually(
        server.client.resource(Events),
        { namespace },
        (events) => events.some(isSyncFailure),
        waitOptions,
      );
    });

    it('removes the second address from a Service’s status when it returns to one family', async () => {
      const { spec } = await server.client.resource(Services).get('web', { namespace });
      const value = {
        spec: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'], clusterIPs: spec.clusterIPs?.slice(0, 1) },
      };
      await server.client.resource(Services).patch('web', { type: 'merge', value }, { namespace });

      const found = await waitUntil('web', (service) => ingressOf(service).length === 1);

      expect(ingressOf(found)[0]).not.toMatch(IPV6);
    });

    it('leaves nothing behind', async () => {
      const services = server.client.resource(Services);
      for (const name of ['web', 'six', 'late']) await services.delete(name, { namespace });
      for (const name of ['web', 'six', 'late']) await eventuallyDeleted(services, { namespace, name }, waitOptions);

      expect(await Array.fromAsync(member.network.floatingIps.list())).toEqual([]);
      await expect.poll(serving, POLL_OPTIONS).toEqual([]);
    });
  });
});

function kubeconfig({ url, certificateAuthority, token }: RealApiServer): string {
  const authority = Buffer.from(certificateAuthority).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': authority } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}
