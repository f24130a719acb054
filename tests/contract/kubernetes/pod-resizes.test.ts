import type { Container, Pod, PodSpec } from '@fairway/kube/kinds/generated/types';
import { Pods } from '@fairway/kube/kinds/resources';
import { beforeAll, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

const REQUESTS = { requests: { cpu: '500m', memory: '64Mi' } };
const BOTH = { ...REQUESTS, limits: { cpu: '1', memory: '64Mi' } };
const main = (rest: Partial<Container>) => [{ name: 'main', ...rest }];
const SIDECAR = { name: 'side', image: 'nginx', restartPolicy: 'Always', resources: BOTH };

const REFUSALS = [
  {
    reason: 'a resize that changes the QoS class',
    resources: BOTH,
    change: { containers: main({ resources: { requests: { cpu: '1', memory: '64Mi' } } }) },
    message: 'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
  },
  {
    reason: 'a resize that removes a request',
    resources: REQUESTS,
    change: { containers: [{ name: 'main', resources: { requests: { cpu: null } } }] },
    message: 'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
  },
  {
    reason: 'a resize of another resource',
    resources: BOTH,
    change: { containers: main({ resources: { requests: { 'ephemeral-storage': '1Gi' } } }) },
    message: 'spec: Forbidden: only cpu and memory resources are mutable',
  },
  {
    reason: 'a change of the resize policy',
    resources: BOTH,
    change: { containers: main({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }) },
    message: 'spec: Forbidden: only cpu and memory resources are mutable',
  },
  {
    reason: 'a resize above the limit',
    resources: BOTH,
    change: { containers: main({ resources: { requests: { cpu: '2' } } }) },
    message: 'must be less than or equal to cpu limit of 1',
  },
  {
    reason: 'a resize with an additional container',
    resources: BOTH,
    change: { containers: [{ name: 'more', image: 'a' }] },
    message: 'spec.containers: Forbidden: containers may not be added or removed on resize',
  },
];

describeServers('pods/resize', (server, target) => {
  const isServed = target.minor >= 33;
  let namespace = '';

  beforeAll(async () => {
    if (isServed) namespace = await server().namespace();
  });

  async function create(resources: object, spec: Partial<PodSpec> = {}): Promise<string> {
    const name = server().name('pod');
    const containers = main({ image: 'nginx', resources });
    const metadata = { namespace, name };
    await server()
      .client.resource<Pod>(Pods)
      .create({ metadata, spec: { containers, ...spec } });
    return name;
  }

  function resize(name: string, spec: object): Promise<Pod> {
    const where = { namespace, subresource: 'resize' };
    return server().client.resource<Pod>(Pods).patch(name, { type: 'strategic', value: { spec } }, where);
  }

  it.runIf(isServed)('changes CPU and memory, and increments the generation', async () => {
    const name = await create(BOTH, { initContainers: [SIDECAR] });
    const resources = { requests: { cpu: '0.75' }, limits: { memory: '0.125Gi' } };
    const after = await resize(name, {
      activeDeadlineSeconds: 5,
      containers: main({ image: 'other', resources }),
      initContainers: [{ name: 'side', resources: { requests: { cpu: '600m' } } }],
    });

    expect(after.spec.containers[0]).toMatchObject({
      image: 'nginx',
      resources: { requests: { cpu: '750m', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi' } },
    });
    expect(after.spec.initContainers?.[0]?.resources?.requests).toEqual({ cpu: '600m', memory: '64Mi' });
    expect(after.spec.activeDeadlineSeconds).toBeUndefined();
    expect(after.metadata.generation).toBe(2);
  });

  it.runIf(isServed).each(REFUSALS)('refuses $reason', async ({ resources, change, message }) => {
    const name = await create(resources);

    await expect(resize(name, change)).rejects.toMatchObject({ code: 422, message: expect.stringContaining(message) });
  });
});
