import type { ConfigMap, DaemonSet, Deployment } from '@fairway/kube/kinds/generated/types';
import type { KubeObject } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { type Addon, objectKey } from './addon.ts';
import { APPLY_SET_ID } from './apply-set.ts';
import { addonsOf, KNOWN_OBJECTS, REMOVABLE_OBJECTS } from './catalogue.ts';
import { someFacts } from './testing/facts.ts';

function objectOf(addons: readonly Addon[], key: string): KubeObject {
  const found = addons.flatMap(({ objects }) => objects).find((each) => objectKey(each) === key);
  if (found === undefined) throw new Error(`there is no ${key}`);
  return found.object;
}

const revision = (addons: readonly Addon[], key: string) =>
  objectOf(addons, key).metadata.annotations?.['fairway.dev/addon-revision'];

describe('the catalogue', () => {
  test('knows every object that it may apply, so that each of them may go again', () => {
    const known = new Set(KNOWN_OBJECTS.map(objectKey));
    const all = addonsOf(someFacts({ hasCanal: true })).flatMap(({ objects }) => objects.map(objectKey));

    expect(all).toHaveLength(known.size);
    expect(all.filter((key) => !known.has(key))).toEqual([]);
  });

  test('marks every object as part of the set', () => {
    const labels = addonsOf(someFacts())
      .flatMap(({ objects }) => objects)
      .map(({ object }) => object.metadata.labels?.['applyset.kubernetes.io/part-of']);

    expect(new Set(labels)).toEqual(new Set([APPLY_SET_ID]));
  });

  test('has nothing for a version that it does not know', () => {
    expect(addonsOf(someFacts({ version: '1.20.2' }))).toEqual([]);
  });

  test('renews the pods of kube-proxy when its settings change, and no other object', () => {
    const before = addonsOf(someFacts({ hasCanal: true }));
    const after = addonsOf(
      someFacts({ hasCanal: true, kubeProxy: { mode: 'iptables', iptables: { syncPeriod: '31s' } } }),
    );
    const changed = KNOWN_OBJECTS.map(objectKey).filter((key) => revision(before, key) !== revision(after, key));

    expect(changed).toEqual(['ConfigMap./kube-proxy', 'DaemonSet.apps/kube-proxy']);
  });

  test('gives kube-proxy the settings of its mode alone', () => {
    const kubeProxy = {
      mode: 'ipvs',
      iptables: { syncPeriod: '31s' },
      ipvs: { scheduler: 'lc', tcpTimeout: undefined },
    };
    const { data } = objectOf(addonsOf(someFacts({ kubeProxy })), 'ConfigMap./kube-proxy') as ConfigMap;

    expect(data?.['config.conf']).toContain('mode: ipvs\nipvs:\n  scheduler: lc\n');
    expect(data?.['config.conf']).not.toContain('31s');
    expect(data?.['kubeconfig.conf']).toContain('server: https://demo.example.org:6443');
  });

  test('runs kube-proxy on every node, in the version of the oldest', () => {
    const addons = addonsOf(someFacts({ oldestNodeVersion: '1.33.4' }));
    const { spec } = objectOf(addons, 'DaemonSet.apps/kube-proxy') as DaemonSet;

    expect(spec.template.spec?.tolerations).toEqual([{ operator: 'Exists' }]);
    expect(spec.template.spec?.containers[0]?.image).toBe('registry.k8s.io/kube-proxy:v1.33.4');
  });

  test('renews the pods of Canal when the range of pods changes, and no other object', () => {
    const before = addonsOf(someFacts({ hasCanal: true }));
    const after = addonsOf(someFacts({ hasCanal: true, podCIDR: '10.9.0.0/16', kubeProxy: { mode: 'none' } }));
    const canal = after[0]?.objects.map(objectKey) ?? [];
    const changed = canal.filter((key) => revision(before, key) !== revision(after, key));

    expect(changed).toEqual(['ConfigMap./canal-config', 'DaemonSet.apps/canal']);
  });

  test.each([
    { server: 'https://demo.example.org:6443', host: 'demo.example.org', port: '6443' },
    { server: 'https://203.0.113.7', host: '203.0.113.7', port: '443' },
    { server: 'https://[2001:db8::7]:6443', host: '2001:db8::7', port: '6443' },
  ])('leads all of Canal to $server without Services', ({ server, host, port }) => {
    const addons = addonsOf(someFacts({ hasCanal: true, server }));
    const { spec } = objectOf(addons, 'DaemonSet.apps/canal') as DaemonSet;
    const { initContainers = [], containers = [] } = spec.template.spec ?? {};

    for (const { env } of [...initContainers, ...containers]) {
      expect(env).toContainEqual({ name: 'KUBERNETES_SERVICE_HOST', value: host });
      expect(env).toContainEqual({ name: 'KUBERNETES_SERVICE_PORT', value: port });
    }
  });

  test.each([
    { flannelVersion: '0.24.4', image: 'docker.io/flannel/flannel:v0.24.4' },
    { flannelVersion: '0.26.3', image: 'docker.io/flannel/flannel:v0.26.3' },
    { flannelVersion: '0.26.4', image: 'ghcr.io/flannel-io/flannel:v0.26.4' },
    { flannelVersion: undefined, image: 'ghcr.io/flannel-io/flannel:v0.28.10' },
    { flannelVersion: '0.29.0-rc1', image: 'ghcr.io/flannel-io/flannel:v0.29.0-rc1' },
  ])('fetches flannel $flannelVersion from where it was published', ({ flannelVersion, image }) => {
    const addons = addonsOf(someFacts({ hasCanal: true, flannelVersion }));
    const { spec } = objectOf(addons, 'DaemonSet.apps/canal') as DaemonSet;

    expect(spec.template.spec?.containers.map((each) => each.image)).toContain(image);
  });

  test('never deletes anything of a pod network, and may delete all else', () => {
    const [network] = addonsOf(someFacts({ hasCanal: true })).filter(({ isNetwork }) => isNetwork);
    const kept = KNOWN_OBJECTS.filter((each) => !REMOVABLE_OBJECTS.includes(each));

    expect(kept.map(objectKey)).toEqual(network?.objects.map(objectKey));
  });

  test("runs CoreDNS in the version of the operator's catalogue", () => {
    const addons = addonsOf(someFacts({ coreDnsVersion: '1.12.9' }));
    const { spec } = objectOf(addons, 'Deployment.apps/coredns') as Deployment;

    expect(spec.template.spec?.containers[0]?.image).toBe('registry.k8s.io/coredns/coredns:v1.12.9');
    expect(spec.template.spec?.topologySpreadConstraints).toHaveLength(2);
  });

  test('keeps no drain of a single node waiting', () => {
    const budgets = (hasSeveralNodes: boolean) =>
      addonsOf(someFacts({ hasSeveralNodes }))
        .flatMap(({ objects }) => objects)
        .filter(({ type }) => type.kind === 'PodDisruptionBudget').length;

    expect([budgets(false), budgets(true)]).toEqual([0, 1]);
  });
});
