import { signCertificateRequest } from '@fairway/apiserver/auth/certificates/certificate-signer';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { HollowNode } from '@fairway/hollow/node/hollow-node';
import { MemoryDisks } from '@fairway/hollow/node/node-state';
import { userDataOf } from '@fairway/hollow/node/testing/node-cluster';
import { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import {
  CertificateSigningRequests,
  ClusterRoleBindings,
  Leases,
  Namespaces,
  Nodes,
  Pods,
  Secrets,
} from '@fairway/kube/kinds/resources';
import { type CertificateAuthority, createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAssets, type RealApiServer, startRealApiServer } from './real-api-server.ts';

const assets = findAssets();
const DAY_MS = 24 * 3_600_000;
const TOKEN = 'abcdef.0123456789abcdef';

/** Handles nodes' requests as kube-controller-manager and a cloud provider would. */
function decideOnCertificates(client: KubeClient, authority: CertificateAuthority, signal: AbortSignal): void {
  const requests = client.resource(CertificateSigningRequests);
  const decide = async (request: CertificateSigningRequest) => {
    if (request.status?.conditions !== undefined) return;
    const condition = { type: 'Approved', status: 'True', reason: 'Test', message: 'by the test' };
    const decidedRequest = { ...request, status: { conditions: [condition] } };
    const approved = await requests.updateSubresource(request.metadata.name ?? '', 'approval', decidedRequest);
    const signed = await signCertificateRequest(approved, authority, systemClock);
    if (signed !== undefined) await requests.updateStatus({ ...approved, status: signed.status });
  };
  const informer = new Informer(requests);
  informer.addHandler({ onAdd: (request) => void decide(request) });
  informer.start(signal);
}

/**
 * A hollow node with a real API server: kube-apiserver's bootstrap tokens, Node authorisation, NodeRestriction and
 * validation.
 */
describe.skipIf(assets === undefined)(
  'a hollow node joins a kube-apiserver (skipped without KUBEBUILDER_ASSETS)',
  () => {
    const stop = new AbortController();
    let real: RealApiServer;
    let node: HollowNode;

    beforeAll(async () => {
      const authority = await createCertificateAuthority({
        commonName: 'kubernetes',
        clock: systemClock,
        validityMs: DAY_MS,
      });
      real = await startRealApiServer(assets ?? '', { clientAuthority: authority.certificatePem });
      const { client, url, certificateAuthority } = real;
      await eventuallyObject(client.resource(Namespaces), { name: 'kube-node-lease' });
      const [id = '', secret = ''] = TOKEN.split('.');
      await client.resource(Secrets).create({
        metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
        type: 'bootstrap.kubernetes.io/token',
        stringData: { 'token-id': id, 'token-secret': secret, 'usage-bootstrap-authentication': 'true' },
      });
      await client.resource(ClusterRoleBindings).create({
        metadata: { name: 'nodes-may-ask' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-bootstrapper' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:bootstrappers' }],
      });
      decideOnCertificates(client, authority, stop.signal);
      node = new HollowNode({
        server: {
          id: 'server-1',
          name: 'node-1',
          addresses: ['192.168.0.11'],
          zone: 'a',
          flavor: { vcpus: 4, ramMib: 16_384, diskGib: 100 },
        },
        userData: userDataOf('node-1', {
          server: url,
          certificateAuthority,
          token: TOKEN,
          labels: 'topology.kubernetes.io/zone=a',
          kubelet: { serverTLSBootstrap: true },
        }),
        disks: new MemoryDisks(),
        clock: systemClock,
        random: Math.random,
        log: silentLogger,
      });
      node.start();
    });
    afterAll(async () => {
      await node?.stop();
      stop.abort();
      await real?.[Symbol.asyncDispose]();
    });

    it('registers, and becomes ready once it has a pod CIDR', async () => {
      const nodes = real.client.resource(Nodes);
      await eventuallyObject(nodes, { name: 'node-1' });
      const value = { spec: { podCIDR: '10.2.7.0/24', podCIDRs: ['10.2.7.0/24'] } };
      await nodes.patch('node-1', { type: 'merge', value });

      const ready = await eventuallyObject(
        nodes,
        { name: 'node-1' },
        ({ status }) => status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
      );
      expect(ready.status?.allocatable).toMatchObject({ cpu: '3830m', pods: '110' });
      expect(ready.metadata.labels).toMatchObject({ 'topology.kubernetes.io/zone': 'a' });
      await eventuallyObject(real.client.resource(Leases), { namespace: 'kube-node-lease', name: 'node-1' });
    });

    it('has a client and a serving certificate', async () => {
      const requests = real.client.resource(CertificateSigningRequests);
      await expect.poll(async () => (await requests.list()).items.length).toBe(2);
      const { items } = await requests.list();
      expect(items.map(({ spec }) => [spec.signerName, spec.username])).toEqual(
        expect.arrayContaining([
          ['kubernetes.io/kube-apiserver-client-kubelet', 'system:bootstrap:abcdef'],
          ['kubernetes.io/kubelet-serving', 'system:node:node-1'],
        ]),
      );
    });

    it('runs one pod, completes another, and terminates both when they are deleted', async () => {
      const pods = real.client.resource(Pods);
      const spec = { nodeName: 'node-1', containers: [{ name: 'a', image: 'a' }] };
      await pods.create({ metadata: { name: 'web', namespace: 'default' }, spec });
      const podSpec = { ...spec, restartPolicy: 'Never', containers: [{ name: 'a', image: 'a', command: ['true'] }] };
      await pods.create({ metadata: { name: 'job', namespace: 'default' }, spec: podSpec });

      const web = await eventuallyObject(
        pods,
        { namespace: 'default', name: 'web' },
        ({ status }) => status?.phase === 'Running',
      );
      await eventuallyObject(
        pods,
        { namespace: 'default', name: 'job' },
        ({ status }) => status?.phase === 'Succeeded',
      );
      expect(web.status?.podIP).toMatch(/^10\.2\.7\.\d+$/);
      for (const name of ['web', 'job']) {
        await pods.delete(name, { namespace: 'default' });
        await eventuallyDeleted(pods, { namespace: 'default', name });
      }
    });
  },
);
