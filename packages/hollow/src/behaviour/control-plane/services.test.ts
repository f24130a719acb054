import { Deployments, EndpointSlices, Endpoints, Services } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { TestCluster } from '../../testing/test-cluster.ts';
import { deployment, service } from '../../testing/workloads.ts';

describe('a Service', () => {
  it('gets an address, and releases it when deleted', async () => {
    await using cluster = await TestCluster.start({ nodes: [] });
    const services = cluster.client.resource(Services);
    const { spec } = await services.create(service('one'));
    expect(spec).toMatchObject({
      clusterIP: expect.stringMatching(/^10\.3\./) as string,
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
    expect(spec.clusterIPs).toEqual([spec.clusterIP]);
    const chosen = { clusterIP: spec.clusterIP ?? '' };
    await expect(services.create(service('two', chosen))).rejects.toThrow(
      `Service "two" is invalid: spec.clusterIPs: Invalid value: ["${spec.clusterIP}"]: failed to allocate IP ${spec.clusterIP}: provided IP is already allocated`,
    );
    await services.delete('one', { namespace: 'default' });
    expect((await services.create(service('two', chosen))).spec.clusterIP).toBe(spec.clusterIP);
  });

  it.each([
    { reason: 'headless', spec: { clusterIP: 'None' }, expected: { clusterIP: 'None', clusterIPs: ['None'] } },
    {
      reason: 'of type ExternalName',
      spec: { type: 'ExternalName', externalName: 'a.example', ports: [] },
      expected: { externalName: 'a.example', clusterIP: undefined },
    },
    {
      reason: 'of type NodePort',
      spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30_080 }] },
      expected: { ports: [{ port: 80, targetPort: 80, protocol: 'TCP', nodePort: 30_080 }] },
    },
  ])('may be $reason', async ({ spec, expected }) => {
    await using cluster = await TestCluster.start({ nodes: [] });
    const created = await cluster.client.resource(Services).create(service('one', spec));
    expect({ clusterIP: undefined, ...created.spec }).toMatchObject(expected);
  });

  it.each([
    {
      clusterIP: '10.9.0.1',
      message: 'the provided IP (10.9.0.1) is not in the valid range. The range of valid IPs is 10.3.0.0/16',
    },
    {
      type: 'NodePort',
      ports: [{ port: 80, nodePort: 80 }],
      message: 'provided port is not in the valid range. The range of valid ports is 30000-32767',
    },
  ])('is refused: $message', async ({ message, ...spec }) => {
    await using cluster = await TestCluster.start({ nodes: [] });
    await expect(cluster.client.resource(Services).create(service('one', spec))).rejects.toThrow(message);
  });

  it('gets distinct ports under concurrent requests, and changes its type', async () => {
    await using cluster = await TestCluster.start({ nodes: [], random: () => 0.5 });
    const services = cluster.client.resource(Services);
    const names = Array.from({ length: 20 }, (_, index) => `svc-${index}`);
    const created = await Promise.all(names.map((name) => services.create(service(name, { type: 'NodePort' }))));
    expect(new Set(created.map(({ spec }) => spec.clusterIP)).size).toBe(20);
    expect(new Set(created.map(({ spec }) => spec.ports?.[0]?.nodePort)).size).toBe(20);
    const plain = await services.patch(
      'svc-0',
      { type: 'merge', value: { spec: { type: 'ClusterIP' } } },
      { namespace: 'default' },
    );
    expect(plain.spec).toMatchObject({ type: 'ClusterIP', clusterIP: created[0]?.spec.clusterIP });
    expect(plain.spec.ports?.[0]?.nodePort).toBeUndefined();
  });

  it('routes to the ready pods that it selects', async () => {
    await using cluster = await TestCluster.start({
      fateOf: ({ metadata }) => (metadata.labels?.['app'] === 'web' ? 'run' : 'hold'),
    });
    await cluster.client.resource(Services).create(service('web'));
    await cluster.client.resource(Deployments).create(deployment(3));
    const [slice] = await eventually(
      cluster.client.resource(EndpointSlices),
      { namespace: 'default', labelSelector: 'kubernetes.io/service-name=web' },
      ([slice, ...others]) => {
        expect(others).toEqual([]);
        expect(slice?.endpoints?.filter(({ conditions }) => conditions?.ready)).toHaveLength(3);
        return true;
      },
    );
    expect(slice?.ports).toEqual([{ name: '', port: 8080, protocol: 'TCP' }]);
    await eventuallyObject(cluster.client.resource(Endpoints), { namespace: 'default', name: 'web' }, ({ subsets }) => {
      expect(subsets?.[0]?.addresses).toHaveLength(3);
      return true;
    });
    await cluster.client
      .resource(Deployments)
      .patch('web', { type: 'merge', value: { spec: { replicas: 1 } } }, { namespace: 'default' });
    await eventually(
      cluster.client.resource(EndpointSlices),
      { namespace: 'default', labelSelector: 'kubernetes.io/service-name=web' },
      ([slice]) => {
        expect(slice?.endpoints).toHaveLength(1);
        return true;
      },
    );
    await cluster.client.resource(Services).delete('web', { namespace: 'default' });
    await eventually(
      cluster.client.resource(EndpointSlices),
      { namespace: 'default', labelSelector: 'kubernetes.io/service-name=web' },
      (slices) => slices.length === 0,
    );
    await eventually(cluster.client.resource(Endpoints), { namespace: 'default' }, (all) =>
      all.every(({ metadata }) => metadata.name === 'kubernetes'),
    );
  });
});
