import type { ConfigMap, DaemonSet, Deployment } from '@fairway/kube/kinds/generated/types';
import type { KubeObject } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { type Addon, objectKey } from './addon.ts';
import { APPLY_SET_ID } from './apply-set.ts';
import { addonsOf, objectsOfInterest, REMOVABLE_OBJECTS } from './catalogue.ts';
import { someFacts } from './testing/facts.ts';

function objectOf(addons: readonly Addon[], key: string): KubeObject {
  const found = addons.flatMap(({ objects }) => objects).find((each) => objectKey(each) === key);
  if (found === undefined) throw new Error(`there is no ${key}`);
  return found.object;
}

const POD_NETWORKS = ['canal', 'cilium'] as const;

const revision = (addons: readonly Addon[], key: string) =>
  objectOf(addons, key).metadata.annotations?.['fairway.dev/addon-revision'];

describe('the catalogue', () => {
  test('can delete every object that it may apply, except pod networks, volume snapshots and StorageClasses', () => {
    const all = POD_NETWORKS.flatMap((podNetwork) => addonsOf(someFacts({ podNetwork })));
    const isRemovable = (addon: Addon) =>
      addon.objects
        .filter(({ type }) => type.kind !== 'StorageClass')
        .map((each) => REMOVABLE_OBJECTS.some((removable) => objectKey(removable) === objectKey(each)));

    expect(all).not.toEqual([]);
    for (const addon of all)
      expect([addon.name, ...new Set(isRemovable(addon))]).toEqual([
        addon.name,
        !addon.isNetwork && addon.name !== 'volume-snapshots',
      ]);
  });

  test.each([
    { podNetwork: 'canal', sees: ['DaemonSet.apps/canal', 'DaemonSet.apps/cilium', 'ConfigMap./canal-config'] },
    { podNetwork: undefined, sees: ['DaemonSet.apps/canal', 'DaemonSet.apps/cilium'] },
  ] as const)(
    'observes all pod networks, but only the configuration of pod network $podNetwork',
    ({ podNetwork, sees }) => {
      const keys = objectsOfInterest(addonsOf(someFacts({ podNetwork }))).map(objectKey);
      const networkKeys = keys.filter((key) => /^(DaemonSet|ConfigMap).*(canal|cilium)/.test(key));

      expect(networkKeys).toEqual(expect.arrayContaining([...sees]));
      expect(networkKeys).toHaveLength(sees.length);
      expect(new Set(keys).size).toBe(keys.length);
    },
  );

  test('marks every object as part of the ApplySet', () => {
    const labels = addonsOf(someFacts())
      .flatMap(({ objects }) => objects)
      .map(({ object }) => object.metadata.labels?.['applyset.kubernetes.io/part-of']);

    expect(new Set(labels)).toEqual(new Set([APPLY_SET_ID]));
  });

  test('returns no add-ons for an unknown version', () => {
    expect(addonsOf(someFacts({ version: '1.20.2' }))).toEqual([]);
  });

  test('replaces only the pods of kube-proxy when its settings change', () => {
    const before = addonsOf(someFacts({ podNetwork: 'canal' }));
    const after = addonsOf(
      someFacts({ podNetwork: 'canal', kubeProxy: { mode: 'iptables', iptables: { syncPeriod: '31s' } } }),
    );
    const keys = before.flatMap(({ objects }) => objects.map(objectKey));
    const changed = keys.filter((key) => revision(before, key) !== revision(after, key));

    expect(changed).toEqual(['ConfigMap./kube-proxy', 'DaemonSet.apps/kube-proxy']);
  });

  test('gives kube-proxy only the settings of its mode', () => {
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

  test('runs kube-proxy on every node, at the oldest node’s version', () => {
    const addons = addonsOf(someFacts({ oldestNodeVersion: '1.33.4' }));
    const { spec } = objectOf(addons, 'DaemonSet.apps/kube-proxy') as DaemonSet;

    expect(spec.template.spec?.tolerations).toEqual([{ operator: 'Exists' }]);
    expect(spec.template.spec?.containers[0]?.image).toBe('registry.k8s.io/kube-proxy:v1.33.4');
  });

  test('replaces only the pods of Canal when the pod CIDR changes', () => {
    const before = addonsOf(someFacts({ podNetwork: 'canal' }));
    const after = addonsOf(someFacts({ podNetwork: 'canal', podCIDR: '10.9.0.0/16', kubeProxy: { mode: 'none' } }));
    const canal = after[0]?.objects.map(objectKey) ?? [];
    const changed = canal.filter((key) => revision(before, key) !== revision(after, key));

    expect(changed).toEqual(['ConfigMap./canal-config', 'DaemonSet.apps/canal']);
  });

  test.each([
    { server: 'https://demo.example.org:6443', host: 'demo.example.org', port: '6443' },
    { server: 'https://203.0.113.7', host: '203.0.113.7', port: '443' },
    { server: 'https://[2001:db8::7]:6443', host: '2001:db8::7', port: '6443' },
  ])("connects all of Canal's containers to $server without using Services", ({ server, host, port }) => {
    const addons = addonsOf(someFacts({ podNetwork: 'canal', server }));
    const { spec } = objectOf(addons, 'DaemonSet.apps/canal') as DaemonSet;
    const { initContainers = [], containers = [] } = spec.template.spec ?? {};

    expect(initContainers).not.toEqual([]);
    expect(containers).not.toEqual([]);
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
  ])('pulls flannel $flannelVersion from the registry where it was published', ({ flannelVersion, image }) => {
    const addons = addonsOf(someFacts({ podNetwork: 'canal', flannelVersion }));
    const { spec } = objectOf(addons, 'DaemonSet.apps/canal') as DaemonSet;

    expect(spec.template.spec?.containers.map((each) => each.image)).toContain(image);
  });

  test("runs CoreDNS at the version in the operator's catalogue", () => {
    const addons = addonsOf(someFacts({ coreDnsVersion: '1.12.9' }));
    const { spec } = objectOf(addons, 'Deployment.apps/coredns') as Deployment;

    expect(spec.template.spec?.containers[0]?.image).toBe('registry.k8s.io/coredns/coredns:v1.12.9');
    expect(spec.template.spec?.topologySpreadConstraints).toHaveLength(2);
  });

  test('does not create a PodDisruptionBudget in a single-node cluster', () => {
    const budgets = (hasSeveralNodes: boolean) =>
      addonsOf(someFacts({ hasSeveralNodes }))
        .flatMap(({ objects }) => objects)
        .filter(({ type }) => type.kind === 'PodDisruptionBudget').length;

    expect([budgets(false), budgets(true)]).toEqual([0, 1]);
  });
});
