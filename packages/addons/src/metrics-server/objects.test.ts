import { systemClock } from '@fairway/base/clock';
import type { APIService, Deployment, Secret } from '@fairway/kube/kinds/generated/types';
import { describe, expect, test } from 'vitest';
import type { Addon, AddonFacts } from '../addon.ts';
import { addonsOf } from '../catalogue.ts';
import { someFacts } from '../testing/facts.ts';
import { withCertificate } from './serving-objects.ts';

function metricsServerOf(facts: Partial<AddonFacts> = {}): Addon {
  const addon = addonsOf(someFacts(facts)).find(({ name }) => name === 'metrics-server');
  if (addon === undefined) throw new Error('there is no metrics-server');
  return addon;
}

function deploymentOf(addon: Addon): Deployment {
  return addon.objects.find(({ type }) => type.kind === 'Deployment')?.object as Deployment;
}

describe('metrics-server', () => {
  test.each([
    { nodeCount: 0, cpu: '100m', memory: '200Mi' },
    { nodeCount: 100, cpu: '100m', memory: '200Mi' },
    { nodeCount: 101, cpu: '200m', memory: '400Mi' },
    { nodeCount: 950, cpu: '1000m', memory: '2000Mi' },
  ])('requests $cpu and $memory for $nodeCount nodes', ({ nodeCount, cpu, memory }) => {
    const [container] = deploymentOf(metricsServerOf({ nodeCount })).spec.template.spec?.containers ?? [];

    expect(container?.resources).toEqual({ requests: { cpu, memory } });
  });

  test('runs one evictable pod on the host network, which uses one port', () => {
    const { spec } = deploymentOf(metricsServerOf());
    const [container] = spec.template.spec?.containers ?? [];

    expect(spec.template.spec?.hostNetwork).toBe(true);
    expect(container?.ports).toEqual([{ name: 'https', containerPort: 4443, protocol: 'TCP' }]);
    expect(container?.args).toContain('--secure-port=4443');
    expect(spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    // A host volume would pin the pod to its node.
    expect(spec.template.spec?.volumes?.map(({ emptyDir, hostPath }) => emptyDir ?? hostPath)).toEqual([undefined]);
  });

  test('verifies kubelets’ certificates with the cluster’s CA', () => {
    const [container] = deploymentOf(metricsServerOf()).spec.template.spec?.containers ?? [];

    expect(container?.args?.join(' ')).not.toContain('insecure');
  });

  test('has the version specified in the operator’s catalogue', () => {
    const addon = metricsServerOf({ metricsServerVersion: '0.8.9' });
    const [container] = deploymentOf(addon).spec.template.spec?.containers ?? [];

    expect(addon.version).toBe('0.8.9');
    expect(container?.image).toBe('registry.k8s.io/metrics-server/metrics-server:v0.8.9');
  });

  test('is not installed if the API server cannot reach nodes', () => {
    expect(metricsServerOf({ reachesNodes: false }).objects).toEqual([]);
  });

  test('is registered with the CA that issued its certificate, and keeps that certificate', async () => {
    const addon = metricsServerOf();
    const { aggregatedApi } = addon;
    if (aggregatedApi === undefined) throw new Error('it serves nothing');
    const objectOfKind = (objects: Addon['objects'], kind: string) =>
      objects.find(({ type }) => type.kind === kind)?.object;

    const first = await withCertificate(addon, aggregatedApi, undefined, systemClock);
    const secret = objectOfKind(first, 'Secret') as Secret;
    const second = await withCertificate(addon, aggregatedApi, secret, systemClock);

    const { spec } = objectOfKind(first, 'APIService') as APIService;
    expect(spec?.caBundle).toBe(secret.data?.['ca.crt']);
    expect(spec).not.toHaveProperty('insecureSkipTLSVerify');
    expect(second).toEqual(first);
    expect(first.map(({ name }) => name)).toEqual(addon.objects.map(({ name }) => name));
  });
});
