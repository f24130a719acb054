import { storageLimits } from '@fairway/api/domain/plan-storage';
import type { PlanStorage } from '@fairway/api/kinds/plan-storage';
import type { ConfigMap, DaemonSet, StorageClass } from '@fairway/kube/kinds/generated/types';
import type { KubeObject } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { type Addon, type AddonFacts, objectKey } from '../addon.ts';
import { addonsOf } from '../catalogue.ts';
import { someFacts } from '../testing/facts.ts';

function cinderCsiOf(facts: Partial<AddonFacts> = {}): Addon {
  const addon = addonsOf(someFacts(facts)).find(({ name }) => name === 'cinder-csi');
  if (addon === undefined) throw new Error('there is no cinder-csi');
  return addon;
}

function objectOf(addon: Addon, key: string): KubeObject {
  const found = addon.objects.find((each) => objectKey(each) === key);
  if (found === undefined) throw new Error(`there is no ${key}`);
  return found.object;
}

function withStorage(storage: PlanStorage): Addon {
  return cinderCsiOf({ storage: storageLimits({ storage }) });
}

const gold = {
  name: 'csi-cinder-gold',
  volumeType: 'gold',
  default: false,
  reclaimPolicy: 'Retain',
  volumeBindingMode: 'Immediate',
  allowVolumeExpansion: false,
  fsType: 'xfs',
} as const;

describe("the Cinder CSI driver's node service", () => {
  const daemonSet = objectOf(cinderCsiOf(), 'DaemonSet.apps/csi-cinder-nodeplugin') as DaemonSet;
  const { containers = [], volumes = [] } = daemonSet.spec.template.spec ?? {};

  test('has no credential, permissions or token', () => {
    const addon = cinderCsiOf();
    const kinds = addon.objects.map(({ type }) => type.kind);
    const sources = volumes.map(({ name: _name, ...source }) => Object.keys(source).join());

    expect(kinds.filter((kind) => /Role|Secret/.test(kind))).toEqual([]);
    expect(new Set(sources)).toEqual(new Set(['hostPath', 'configMap']));
    expect(objectOf(addon, 'ServiceAccount./csi-cinder-node-sa')).toMatchObject({
      automountServiceAccountToken: false,
    });
    expect((objectOf(addon, 'ConfigMap./csi-cinder-nodeplugin') as ConfigMap).data).toEqual({
      'cloud.conf': '[BlockStorage]\nnode-volume-attach-limit = 100\n',
    });
  });

  test('serves only the node service, to the node’s kubelet', () => {
    const argumentsOf = (name: string) => containers.find((each) => each.name === name)?.args;

    expect(argumentsOf('cinder-csi-plugin')).toEqual([
      '/bin/cinder-csi-plugin',
      '--endpoint=unix://csi/csi.sock',
      '--provide-controller-service=false',
      '--cloud-config=/etc/config/cloud.conf',
      '--v=1',
    ]);
    expect(argumentsOf('node-driver-registrar')).toContain(
      '--kubelet-registration-path=/var/lib/kubelet/plugins/cinder.csi.openstack.org/csi.sock',
    );
    expect(daemonSet.spec.template.spec?.tolerations).toEqual([{ operator: 'Exists' }]);
    expect(daemonSet.spec.template.spec?.hostNetwork).toBe(true);
  });

  test('listens only on the node’s loopback address', () => {
    const [probe] = containers.flatMap(({ livenessProbe }) => livenessProbe?.httpGet ?? []);

    expect(containers.flatMap(({ ports = [] }) => ports)).toEqual([]);
    expect(probe).toMatchObject({ host: '127.0.0.1', port: 29_661 });
    expect(containers.flatMap(({ args = [] }) => args)).toContain('--http-endpoint=127.0.0.1:29661');
  });

  test.each([
    { version: '1.31.14', is: '1.32.1', reason: 'earlier versions need a credential on nodes' },
    { version: '1.33.2', is: '1.33.1', reason: 'upstream has a release for each minor version' },
    { version: '1.36.3', is: '1.36.0', reason: 'it is the newest release' },
    { version: '1.37.0', is: '1.36.0', reason: 'upstream has no release for it yet' },
    { version: '1.35.1', named: '1.35.9', is: '1.35.9', reason: 'the operator specifies it' },
    { version: '1.35.1', named: '1.31.4', is: '1.35.0', reason: 'the specified version needs a credential' },
  ])('has version $is for Kubernetes $version: $reason', ({ version, named, is }) => {
    const addon = cinderCsiOf({ version, cinderCsiVersion: named });
    const { spec } = objectOf(addon, 'DaemonSet.apps/csi-cinder-nodeplugin') as DaemonSet;

    expect(addon.version).toBe(is);
    expect(spec.template.spec?.containers[0]?.image).toBe(`registry.k8s.io/provider-os/cinder-csi-plugin:v${is}`);
  });
});

describe('StorageClasses', () => {
  const classesOf = ({ objects }: Addon) =>
    objects.flatMap(({ type, object }) => (type.kind === 'StorageClass' ? [object as StorageClass] : []));

  test('contain one class, of the default type, if the plan has no rules', () => {
    const [storageClass, ...others] = classesOf(cinderCsiOf());

    expect(others).toEqual([]);
    expect(storageClass).toMatchObject({
      metadata: { name: 'default', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'cinder.csi.openstack.org',
      parameters: { 'csi.storage.k8s.io/fstype': 'ext4' },
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'WaitForFirstConsumer',
      allowVolumeExpansion: true,
    });
  });

  test('match the classes in the plan', () => {
    const [storageClass, ...others] = classesOf(withStorage({ classes: [gold], tenantClasses: 'Allowed' }));

    expect(others).toEqual([]);
    expect(storageClass).toMatchObject({
      metadata: { name: 'csi-cinder-gold' },
      parameters: { type: 'gold', 'csi.storage.k8s.io/fstype': 'xfs' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'Immediate',
      allowVolumeExpansion: false,
    });
    expect(storageClass?.metadata.annotations).not.toHaveProperty('storageclass.kubernetes.io/is-default-class');
  });

  test('do not exist if the plan lists no classes', () => {
    expect(classesOf(withStorage({ classes: [], tenantClasses: 'Allowed' }))).toEqual([]);
  });
});
