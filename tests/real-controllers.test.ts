import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { HollowNode } from '@fairway/hollow/node/hollow-node';
import { MemoryDisks } from '@fairway/hollow/node/node-state';
import { userDataOf } from '@fairway/hollow/node/testing/node-cluster';
import {
  ClusterRoleBindings,
  ConfigMaps,
  Deployments,
  EndpointSlices,
  Jobs,
  Namespaces,
  Nodes,
  Pods,
  ReplicaSets,
  Secrets,
  ServiceAccounts,
  Services,
} from '@fairway/kube/kinds/resources';
import { eventually, eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import { ContractServer } from './contract/kubernetes/contract-server.ts';
import { startEmbeddedControlPlane } from './contract/kubernetes/control-planes.ts';
import { startControllerManager, startScheduler } from './contract/kubernetes/real-controllers.ts';

const TOKEN = 'abcdef.0123456789abcdef';
const LONG_WAIT = { deadlineMs: 400_000 };
const NODES = ['node-1', 'node-2'];

// Releases before 1.31 need APIs that have since been removed.
const binaries = findBinaries().find(({ minor }) => minor >= 31);
const title = 'kube-controller-manager and kube-scheduler run the embedded server';
const reason = ' (skipped: KUBEBUILDER_ASSETS and PATH have no release from 1.31 on)';

/** The reverse of the contract tests: Kubernetes' own controllers with our API server and hollow nodes. */
describe.skipIf(binaries === undefined)(`${title}${binaries === undefined ? reason : ''}`, () => {
  const stack = new AsyncDisposableStack();
  const inDefault = { namespace: 'default' };
  let server: ContractServer;

  beforeAll(async () => {
    if (binaries === undefined) return;
    const plane = stack.use(await startEmbeddedControlPlane('none'));
    server = await ContractServer.open(plane);
    stack.defer(() => server.close());
    stack.use(await startControllerManager(binaries, plane));
    stack.use(await startScheduler(binaries, plane));
    await letNodesJoin(server);
    for (const name of NODES) {
      const node = new HollowNode({
        server: {
          id: `server-of-${name}`,
          name,
          addresses: ['192.168.0.11'],
          zone: 'a',
          flavor: { vcpus: 4, ramMib: 16_384, diskGib: 100 },
        },
        userData: userDataOf(name, { server: plane.url, certificateAuthority: server.authority, token: TOKEN }),
        disks: new MemoryDisks(),
        clock: systemClock,
        random: Math.random,
        log: silentLogger,
      });
      stack.defer(() => node.stop());
      node.start();
    }
  });

  afterAll(() => stack.disposeAsync());

  it('approve certificates of nodes and assign pod CIDRs, so that nodes become ready', async () => {
    const nodes = await eventually(
      server.client.resource(Nodes),
      {},
      (found) => {
        expect(new Set(found.map(({ metadata }) => metadata.name))).toEqual(new Set(NODES));
        for (const { spec, status } of found) {
          expect(spec.podCIDR).toMatch(/^10\.2\.\d+\.0\/24$/);
          expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
        }
        return true;
      },
      LONG_WAIT,
    );

    expect(new Set(nodes.map(({ spec }) => spec.podCIDR)).size).toBe(NODES.length);
  });

  it('create an account and the root certificates in namespaces', async () => {
    await eventuallyObject(
      server.client.resource(ServiceAccounts),
      { ...inDefault, name: 'default' },
      undefined,
      LONG_WAIT,
    );
    const name = 'kube-root-ca.crt';
    const rootCaConfigMap = await eventuallyObject(
      server.client.resource(ConfigMaps),
      { ...inDefault, name },
      undefined,
      LONG_WAIT,
    );

    expect(rootCaConfigMap.data?.['ca.crt']).toBe(server.authority);
  });

  it("schedule and run a Deployment's pods, and add them to its Service", async () => {
    const labels = { app: 'web' };
    await server.client.resource(Services).create({
      metadata: { name: 'web', ...inDefault },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    await server.client.resource(Deployments).create({
      metadata: { name: 'web', ...inDefault },
      spec: {
        replicas: 6,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] } },
      },
    });

    const pods = await eventually(
      server.client.resource(Pods),
      { ...inDefault, labelSelector: 'app=web' },
      (found) => found.length === 6 && found.every(({ status }) => status?.phase === 'Running'),
      LONG_WAIT,
    );
    await eventuallyObject(
      server.client.resource(Deployments),
      { ...inDefault, name: 'web' },
      ({ status }) => status?.availableReplicas === 6,
      LONG_WAIT,
    );
    expect(new Set(pods.map(({ spec }) => spec.nodeName))).toEqual(new Set(NODES));
    await eventually(
      server.client.resource(EndpointSlices),
      { ...inDefault, labelSelector: 'kubernetes.io/service-name=web' },
      ([slice]) => slice?.endpoints?.filter(({ conditions }) => conditions?.ready).length === 6,
      LONG_WAIT,
    );
  });

  it('roll out a new template', async () => {
    const containers = [{ name: 'web', image: 'nginx:1.30' }];
    await server.client
      .resource(Deployments)
      .patch('web', { type: 'strategic', value: { spec: { template: { spec: { containers } } } } }, inDefault);

    await eventually(
      server.client.resource(Pods),
      { ...inDefault, labelSelector: 'app=web' },
      (found) => found.length === 6 && found.every(({ spec }) => spec.containers[0]?.image === 'nginx:1.30'),
      LONG_WAIT,
    );
    const { metadata } = await eventuallyObject(
      server.client.resource(Deployments),
      { ...inDefault, name: 'web' },
      ({ status }) => status?.updatedReplicas === 6 && status.availableReplicas === 6,
      LONG_WAIT,
    );
    expect(metadata.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '2' });
  });

  it('complete a Job', async () => {
    const containers = [{ name: 'main', image: 'busybox', command: ['true'] }];
    await server.client.resource(Jobs).create({
      metadata: { name: 'once', ...inDefault },
      spec: { completions: 2, parallelism: 2, template: { spec: { restartPolicy: 'Never', containers } } },
    });

    const job = await eventuallyObject(
      server.client.resource(Jobs),
      { ...inDefault, name: 'once' },
      ({ status }) => {
        expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Complete', status: 'True' }));
        return true;
      },
      LONG_WAIT,
    );
    expect(job.status?.succeeded).toBe(2);
  });

  it('collect dependents of a deleted object', async () => {
    await server.client.resource(Deployments).delete('web', { ...inDefault, propagationPolicy: 'Foreground' });

    await eventuallyDeleted(server.client.resource(Deployments), { ...inDefault, name: 'web' }, LONG_WAIT);
    const remaining = await server.client.resource(ReplicaSets).list({ ...inDefault, labelSelector: 'app=web' });
    expect(remaining.items).toEqual([]);
  });

  it('empty and remove a deleted namespace', async () => {
    const name = await server.namespace();
    await server.client
      .resource(ConfigMaps)
      .create({ metadata: { name: 'content', namespace: name }, data: { a: '1' } });

    await server.client.resource(Namespaces).delete(name);

    await eventuallyDeleted(server.client.resource(Namespaces), { name }, LONG_WAIT);
    expect((await server.client.resource(ConfigMaps).list({ namespace: name })).items).toEqual([]);
  });
});

/**
 * Creates kubeadm's setup: a bootstrap token, permission to request a certificate with it, and approval of such
 * requests.
 */
async function letNodesJoin({ client }: ContractServer): Promise<void> {
  const [id = '', secret = ''] = TOKEN.split('.');
  await client.resource(Secrets).create({
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: { 'token-id': id, 'token-secret': secret, 'usage-bootstrap-authentication': 'true' },
  });
  const roles = ['system:node-bootstrapper', 'system:certificates.k8s.io:certificatesigningrequests:nodeclient'];
  for (const [index, name] of roles.entries()) {
    await client.resource(ClusterRoleBindings).create({
      metadata: { name: `bootstrap-${index}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:bootstrappers' }],
    });
  }
}
