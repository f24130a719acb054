import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Node } from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests, Leases, Nodes, Pods } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { NodeCluster } from '../../node/testing/node-cluster.ts';

function isReady(node: Node): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

async function withPodCidr(cluster: NodeCluster, podCIDR = '10.2.3.0/24', name = 'node-1'): Promise<void> {
  await eventuallyObject(cluster.client.resource(Nodes), { name });
  await cluster.client
    .resource(Nodes)
    .patch(name, { type: 'merge', value: { spec: { podCIDR, podCIDRs: [podCIDR] } } });
}

async function newReadyNode(cluster: NodeCluster) {
  const node = cluster.node();
  node.start();
  await withPodCidr(cluster);
  await eventuallyObject(cluster.client.resource(Nodes), { name: 'node-1' }, isReady);
  return node;
}

describe('a joining node', () => {
  it('requests a certificate with the token, registers, reports status and becomes Ready with its pod CIDR', async () => {
    await using cluster = await NodeCluster.start();
    const node = cluster.node('node-1', {
      labels: 'pool=general,node.kubernetes.io/instance-type=b3-16',
      flags: '--cloud-provider=external --register-with-taints=dedicated=db:NoSchedule',
    });
    node.start();

    const registered = await eventuallyObject(cluster.client.resource(Nodes), { name: 'node-1' }, ({ status }) =>
      Boolean(status?.capacity),
    );
    expect(isReady(registered)).toBe(false);
    expect(registered.metadata.labels).toMatchObject({
      pool: 'general',
      'kubernetes.io/hostname': 'node-1',
      'node.kubernetes.io/instance-type': 'b3-16',
    });
    expect(registered.spec.taints).toEqual([
      { key: 'dedicated', value: 'db', effect: 'NoSchedule' },
      { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
    ]);
    // The cloud provider sets the addresses.
    expect(registered.status?.addresses).toBeUndefined();
    expect(registered.status?.capacity).toMatchObject({
      cpu: '4',
      memory: '16Gi',
      pods: '110',
      'ephemeral-storage': '100Gi',
    });
    // 16 GiB less 1590 MB and 100 MiB; 100 GiB less 30 GB and a tenth.
    expect(registered.status?.allocatable).toMatchObject({
      cpu: '3830m',
      memory: '15485011584',
      'ephemeral-storage': '65074965Ki',
    });
    expect(registered.status?.nodeInfo).toMatchObject({
      kubeletVersion: 'v1.34.2',
      containerRuntimeVersion: 'containerd://2.2',
    });

    await withPodCidr(cluster);
    await eventuallyObject(cluster.client.resource(Nodes), { name: 'node-1' }, isReady);
    const [request] = (await cluster.client.resource(CertificateSigningRequests).list()).items;
    expect(request?.spec).toMatchObject({
      username: 'system:bootstrap:abcdef',
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    });
  });

  it('chooses a pod CIDR itself when none is allocated', async () => {
    await using cluster = await NodeCluster.start();
    cluster.node().start();
    const nodes = cluster.client.resource(Nodes);
    await eventuallyObject(nodes, { name: 'node-1' }, ({ status }) => Boolean(status?.capacity));

    await cluster.clock.advance(10_000);

    const node = await eventuallyObject(nodes, { name: 'node-1' }, isReady);
    await cluster.runPod('web');
    const pod = await eventuallyObject(
      cluster.client.resource(Pods),
      { namespace: 'default', name: 'web' },
      ({ status }) => Boolean(status?.podIP),
    );
    expect(node.spec.podCIDR).toBeUndefined();
    expect(pod.status?.podIP).toMatch(/^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.2$/);
  });

  it('waits while its request is pending, and resumes it after a restart', async () => {
    await using cluster = await NodeCluster.start();
    cluster.decision = 'none';
    const requests = cluster.client.resource(CertificateSigningRequests);
    const node = cluster.node();
    node.start();
    await eventuallyObject(requests, { name: await soleRequestName(cluster) });
    await node.stop();
    node.start();
    cluster.decision = 'Approved';
    await cluster.clock.advance(1000);
    const { items } = await requests.list();

    expect(node.phase).toBe('booting');
    expect(items).toHaveLength(1);
  });

  it('reports a denial on the console, and retries with a new key', async () => {
    await using cluster = await NodeCluster.start();
    cluster.decision = 'Denied';
    const node = cluster.node();
    node.start();
    await eventuallyObject(
      cluster.client.resource(CertificateSigningRequests),
      { name: await soleRequestName(cluster) },
      ({ status }) => Boolean(status?.conditions),
    );
    cluster.decision = 'Approved';
    await expect.poll(() => cluster.console.join('\n')).toContain('Denied by the test');

    await cluster.clock.advance(60_000);

    await eventuallyObject(cluster.client.resource(Nodes), { name: 'node-1' });
    expect((await cluster.client.resource(CertificateSigningRequests).list()).items).toHaveLength(2);
  });

  it.each([
    ['no cloud-config', '#!/bin/sh\necho hello', 'user data is not a cloud-config'],
    ['no kubeconfig', '#cloud-config\nhostname: a\n', 'writes no /etc/kubernetes/bootstrap-kubeconfig'],
    ['broken YAML', '#cloud-config\na: [', 'cloud-config is not valid YAML'],
  ])('fails and explains why on the console: %s', async (_, userData, message) => {
    await using cluster = await NodeCluster.start();
    const node = cluster.nodeFrom(userData);

    node.start();

    await expect.poll(() => node.phase).toBe('failed');
    expect(cluster.console.join('\n')).toContain(message);
    expect(cluster.requests).toBe(0);
  });

  it('reuses its certificate after a restart', async () => {
    await using cluster = await NodeCluster.start();
    const node = await newReadyNode(cluster);
    await node.stop();

    const again = cluster.node();
    again.start();
    await expect.poll(() => again.phase).toBe('running');

    expect((await cluster.client.resource(CertificateSigningRequests).list()).items).toHaveLength(1);
  });
});

async function soleRequestName(cluster: NodeCluster): Promise<string> {
  await expect
    .poll(async () => (await cluster.client.resource(CertificateSigningRequests).list()).items.length)
    .toBe(1);
  return (await cluster.client.resource(CertificateSigningRequests).list()).items[0]?.metadata.name ?? '';
}

describe('a running node', () => {
  it('renews its lease every ten seconds, in one request', async () => {
    await using cluster = await NodeCluster.start();
    await newReadyNode(cluster);
    const lease = { namespace: 'kube-node-lease', name: 'node-1' };
    const first = await eventuallyObject(cluster.client.resource(Leases), lease);
    expect(first.spec).toMatchObject({ holderIdentity: 'node-1', leaseDurationSeconds: 40 });
    expect(first.metadata.ownerReferences).toMatchObject([{ kind: 'Node', name: 'node-1' }]);
    const before = cluster.requests;

    await cluster.clock.advance(31_000);

    await eventuallyObject(
      cluster.client.resource(Leases),
      lease,
      ({ spec }) => spec.renewTime?.startsWith('2026-01-01T00:00:30') === true,
    );
    expect(cluster.requests - before).toBe(3);
  });

  it('leaves no timer behind when it stops', async () => {
    await using cluster = await NodeCluster.start();
    const node = await newReadyNode(cluster);

    await node.stop();
    const before = cluster.requests;
    await cluster.clock.advance(60_000);

    expect(cluster.requests).toBe(before);
    expect(node.phase).toBe('off');
  });

  it('recovers after an outage', async () => {
    await using cluster = await NodeCluster.start();
    await newReadyNode(cluster);
    cluster.isCutOff = true;
    await cluster.clock.advance(120_000);
    cluster.isCutOff = false;

    await cluster.clock.advance(8000);

    const name = { namespace: 'kube-node-lease', name: 'node-1' };
    const lease = await eventuallyObject(cluster.client.resource(Leases), name, ({ spec }) =>
      (spec.renewTime ?? '').startsWith('2026-01-01T00:02'),
    );
    expect(lease.spec.leaseTransitions).toBeUndefined();
  });

  it('reports as soon as possible after an outage, and again if the control plane has marked it unknown', async () => {
    await using cluster = await NodeCluster.start();
    await newReadyNode(cluster);
    const nodes = cluster.client.resource(Nodes);
    const readiness = async () =>
      (await nodes.get('node-1')).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    const loseContact = () => {
      const value = { status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] } };
      return nodes.patch('node-1', { type: 'strategic', value }, { subresource: 'status' });
    };
    cluster.isCutOff = true;
    await cluster.clock.advance(60_000);
    await loseContact();
    cluster.isCutOff = false;

    await cluster.clock.advance(8000);
    await expect.poll(readiness).toBe('True');
    await loseContact();
    await cluster.clock.advance(11_000);
    await expect.poll(readiness).toBe('True');
  });

  it('reports its shutdown', async () => {
    await using cluster = await NodeCluster.start();
    const node = await newReadyNode(cluster);

    await node.shutdown();

    const { status } = await cluster.client.resource(Nodes).get('node-1');
    expect(status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      message: 'node is shutting down',
    });
  });

  it('renews its certificate before it expires', async () => {
    await using cluster = await NodeCluster.start();
    cluster.certificateValidityMs = 3_600_000;
    await newReadyNode(cluster);

    await cluster.clock.advance(55 * 60_000);

    await expect
      .poll(async () => (await cluster.client.resource(CertificateSigningRequests).list()).items.length)
      .toBe(2);
    const { items } = await cluster.client.resource(CertificateSigningRequests).list();
    expect(items.map(({ spec }) => spec.username)).toEqual(
      expect.arrayContaining(['system:bootstrap:abcdef', 'system:node:node-1']),
    );
  });
});

describe('the serving certificate', () => {
  it('is requested once the cloud provider has set the node’s addresses', async () => {
    await using cluster = await NodeCluster.start();
    const node = cluster.node('node-1', { flags: '--cloud-provider=external', kubelet: { serverTLSBootstrap: true } });
    node.start();
    await withPodCidr(cluster);
    const nodes = cluster.client.resource(Nodes);
    await eventuallyObject(nodes, { name: 'node-1' }, isReady);
    const addresses = [
      { type: 'InternalIP', address: '192.168.0.11' },
      { type: 'Hostname', address: 'node-1' },
    ];
    await nodes.patch('node-1', { type: 'strategic', value: { status: { addresses } } }, { subresource: 'status' });

    await expect
      .poll(async () =>
        (await cluster.client.resource(CertificateSigningRequests).list()).items.map(({ spec }) => spec.signerName),
      )
      .toContain('kubernetes.io/kubelet-serving');
  });
});

describe('pods', () => {
  it('run with an address from the node’s pod CIDR', async () => {
    await using cluster = await NodeCluster.start();
    await newReadyNode(cluster);
    await cluster.runPod('web');

    const pod = await eventuallyObject(
      cluster.client.resource(Pods),
      { namespace: 'default', name: 'web' },
      ({ status }) => status?.phase === 'Running',
    );
    expect(pod.status).toMatchObject({ podIP: '10.2.3.2', hostIP: '192.168.0.11', startTime: '2026-01-01T00:00:00Z' });
    expect(pod.status?.containerStatuses).toMatchObject([{ name: 'app', ready: true, restartCount: 0 }]);
    expect(
      pod.status?.conditions
        ?.filter(({ status }) => status === 'True')
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['ContainersReady', 'Initialized', 'PodReadyToStartContainers', 'Ready']);
  });

  it('have their observed generation reported', async () => {
    await using cluster = await NodeCluster.start();
    await newReadyNode(cluster);
    await cluster.runPod('web');
    const name = { namespace: 'default', name: 'web' };
    const pods = cluster.client.resource(Pods);
    const first = await eventuallyObject(pods, name, ({ status }) => status?.phase === 'Running');

    await pods.patch(
      'web',
      { type: 'merge', value: { spec: { activeDeadlineSeconds: 500 } } },
      { namespace: 'default' },
    );

    const next = (first.metadata.generation ?? 0) + 1;
    expect(first.status?.observedGeneration).toBe(first.metadata.generation);
    const updated = await eventuallyObject(pods, name, ({ status }) => status?.observedGeneration === next);
    const reported = updated.status?.conditions?.filter(({ type }) => type !== 'PodScheduled') ?? [];
    expect(reported.map(({ observedGeneration }) => observedGeneration)).toEqual(reported.map(() => next));
  });

  it('complete when their containers exit after a while', async () => {
    await using cluster = await NodeCluster.start();
    await newReadyNode(cluster);
    await cluster.runPod('job', { restartPolicy: 'Never' }, { 'hollow.fairway.dev/exit-after': '5s' });
    const name = { namespace: 'default', name: 'job' };
    await eventuallyObject(cluster.client.resource(Pods), name, ({ status }) => status?.phase === 'Running');

    await cluster.clock.advance(5000);

    const pod = await eventuallyObject(
      cluster.client.resource(Pods),
      name,
      ({ status }) => status?.phase === 'Succeeded',
    );
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 0,
      reason: 'Completed',
      finishedAt: '2026-01-01T00:00:05Z',
    });
  });

  it('leave files on the node for the next pod', async () => {
    await using cluster = await NodeCluster.start();
    await newReadyNode(cluster);
    const pods = cluster.client.resource(Pods);
    const command = ['sh', '-c', 'if [[ -r /data/seen ]]; then exit 0; else touch /data/seen; exit 42; fi'];
    const spec = {
      restartPolicy: 'Never',
      containers: [{ name: 'app', image: 'app', command, volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', hostPath: { path: '/tmp/job' } }],
    };
    const ended = async (name: string) => {
      await cluster.runPod(name, spec);
      const { status } = await eventuallyObject(pods, { namespace: 'default', name }, (pod) =>
        ['Failed', 'Succeeded'].includes(pod.status?.phase ?? ''),
      );
      return status?.containerStatuses?.[0]?.state?.terminated?.exitCode;
    };

    expect(await ended('first')).toBe(42);
    expect(await ended('second')).toBe(0);
  });

  it('are rejected if they are bound to a node where another pod uses their port', async () => {
    await using cluster = await NodeCluster.start();
    await newReadyNode(cluster);
    const pods = cluster.client.resource(Pods);
    const containers = [{ name: 'app', image: 'app', ports: [{ containerPort: 80, hostPort: 8080 }] }];
    await cluster.runPod('first', { containers });
    await eventuallyObject(pods, { namespace: 'default', name: 'first' }, (pod) => pod.status?.phase === 'Running');
    await cluster.runPod('second', { containers });

    const { status } = await eventuallyObject(
      pods,
      { namespace: 'default', name: 'second' },
      (pod) => pod.status?.phase === 'Failed',
    );
    expect(status).toMatchObject({ reason: 'NodePorts', message: expect.stringContaining('free ports') });
  });

  it('are terminated gracefully when deleted', async () => {
    await using cluster = await NodeCluster.start();
    await newReadyNode(cluster);
    const pods = cluster.client.resource(Pods);
    const name = { namespace: 'default', name: 'web' };
    await cluster.runPod('web', {}, { 'hollow.fairway.dev/stop-after': '2s' });
    await eventuallyObject(pods, name, ({ status }) => status?.phase === 'Running');

    await pods.delete('web', { namespace: 'default' });
    await eventuallyObject(pods, name, ({ metadata }) => metadata.deletionTimestamp !== undefined);
    await cluster.clock.advance(2000);

    await eventuallyDeleted(pods, name);
    await cluster.runPod('next');
    const next = { namespace: 'default', name: 'next' };
    const { status } = await eventuallyObject(pods, next, (pod) => pod.status?.phase === 'Running');
    expect(status?.podIP).toBe('10.2.3.3');
  });

  it('are in the same state after the node restarts', async () => {
    await using cluster = await NodeCluster.start();
    const node = await newReadyNode(cluster);
    const pods = cluster.client.resource(Pods);
    const name = { namespace: 'default', name: 'web' };
    await cluster.runPod('other');
    await cluster.runPod('web', { restartPolicy: 'OnFailure' }, { 'hollow.fairway.dev/exit-after': '1m' });
    const before = await eventuallyObject(pods, name, ({ status }) => status?.phase === 'Running');
    await node.stop();

    await cluster.clock.advance(30_000);
    node.start();
    await expect.poll(() => node.phase).toBe('running');
    await cluster.clock.advance(30_000);

    const after = await eventuallyObject(pods, name, ({ status }) => status?.phase === 'Succeeded');
    expect(after.status?.podIP).toBe(before.status?.podIP);
    expect(after.status?.startTime).toBe(before.status?.startTime);
  });

  it('keep their addresses when the node reboots, as do pods created in the meantime', async () => {
    await using cluster = await NodeCluster.start();
    const node = await newReadyNode(cluster);
    const pods = cluster.client.resource(Pods);
    const addressed = (name: string) =>
      eventuallyObject(pods, { namespace: 'default', name }, ({ status }) => Boolean(status?.podIP));
    await cluster.runPod('old');
    const before = await addressed('old');
    await node.stop();

    // Lists are sorted by name.
    await cluster.runPod('new');
    const again = cluster.node();
    again.start();

    const { status } = await addressed('new');
    expect(status?.podIP).not.toBe(before.status?.podIP);
    expect((await addressed('old')).status?.podIPs).toEqual(before.status?.podIPs);
  });

  it("can't be changed by another node", async () => {
    await using cluster = await NodeCluster.start();
    await newReadyNode(cluster);
    await cluster.runPod('foreign', { nodeName: 'node-2' });
    const state = await cluster.disks.read('server-of-node-1');
    const client = new KubeClient(
      cluster.transport({
        server: 'https://10.0.0.1:6443',
        clientCertificate: () => state?.client ?? { certificate: '', privateKey: '' },
      }),
    );

    const refused = client.resource(Pods).delete('foreign', { namespace: 'default', gracePeriodSeconds: 0 });

    await expect(refused).rejects.toSatisfy((error) => isApiError(error, 'Forbidden'));
  });
});
