import { describe, expect, test } from 'vitest';
import { HARMLESS_LABELS, labelsWithoutEffect, REFUSED_LABELS } from './known-labels.ts';
import { effectiveLabelsOf, type LabelSpec, labelDifferences, poolSpecFromLabels, specFromLabels } from './labels.ts';

describe('cluster labels', () => {
  test.each<{ labels: Record<string, string>; cluster?: LabelSpec['cluster']; pool?: LabelSpec['pool'] }>([
    { labels: {} },
    { labels: { kube_tag: 'v1.34.2' }, cluster: { version: '1.34.2' } },
    { labels: { kube_tag: '1.34' }, cluster: { version: '1.34' } },
    { labels: { fairway_plan: 'standard' }, cluster: { plan: 'standard' } },
    { labels: { fixed_network_cidr: '10.9.0.0/24' }, cluster: { network: { nodesCIDR: '10.9.0.0/24' } } },
    { labels: { calico_ipv4pool: '10.4.0.0/16' }, cluster: { podCIDR: '10.4.0.0/16' } },
    { labels: { flannel_network_cidr: '10.4.0.0/16' }, cluster: { podCIDR: '10.4.0.0/16' } },
    { labels: { cilium_ipv4pool: '10.4.0.0/16' }, cluster: { podCIDR: '10.4.0.0/16' } },
    {
      labels: { pods_network_cidr: '10.4.0.0/16', calico_ipv4pool: '10.5.0.0/16' },
      cluster: { podCIDR: '10.4.0.0/16' },
    },
    { labels: { service_cluster_ip_range: '10.5.0.0/16' }, cluster: { serviceCIDR: '10.5.0.0/16' } },
    {
      labels: { api_master_lb_allowed_cidrs: '192.0.2.0/24, 198.51.100.0/24' },
      cluster: { apiServer: { allowedCIDRs: ['192.0.2.0/24', '198.51.100.0/24'] } },
    },
    {
      labels: { master_lb_allowed_cidrs: '198.51.100.0/24;192.0.2.0/24' },
      cluster: { apiServer: { allowedCIDRs: ['198.51.100.0/24', '192.0.2.0/24'] } },
    },
    {
      labels: { api_master_lb_allowed_cidrs: '192.0.2.0/24', master_lb_allowed_cidrs: ' 192.0.2.0/24;' },
      cluster: { apiServer: { allowedCIDRs: ['192.0.2.0/24'] } },
    },
    { labels: { master_lb_allowed_cidrs: '', kube_tag: '', fixed_network_cidr: '', boot_volume_type: '' } },
    { labels: { boot_volume_size: '0' } },
    { labels: { master_lb_floating_ip_enabled: 'True', ingress_controller: 'octavia', selinux_mode: 'permissive' } },
    { labels: { availability_zone: 'a;b' }, pool: { availabilityZones: ['a', 'b'] } },
    { labels: { keystone_auth_enabled: 'True' }, cluster: { apiServer: { keystone: {} } } },
    { labels: { keystone_auth_enabled: 'false' } },
    { labels: { availability_zone: 'a,b' }, pool: { availabilityZones: ['a', 'b'] } },
    {
      labels: { boot_volume_size: '50', boot_volume_type: 'fast' },
      pool: { rootVolume: { sizeGiB: 50, type: 'fast' } },
    },
    {
      labels: { auto_scaling_enabled: 'True', min_node_count: '1', max_node_count: '5' },
      pool: { minReplicas: 1, maxReplicas: 5, autoscaling: { enabled: true } },
    },
    { labels: { min_node_count: '1' }, pool: { minReplicas: 1 } },
    { labels: { auto_healing_enabled: 'false' }, pool: { healing: { enabled: false } } },
    { labels: { cinder_csi_enabled: 'true', kube_dashboard_enabled: 'false', my_own: 'x' } },
  ])('are translated: $labels', ({ labels, cluster = {}, pool = {} }) => {
    expect(specFromLabels(labels)).toEqual({ cluster, pool });
  });

  test.each<[Record<string, string>, RegExp]>([
    [{ kubelet_options: '--v=9' }, /^labels.kubelet_options is not supported: set spec.kubelet of the NodePool/],
    [
      { kube_dashboard_enabled: 'true' },
      /^labels.kube_dashboard_enabled is not supported: Fairway does not provide this add-on/,
    ],
    [{ cinder_csi_enabled: 'false' }, /can't be false/],
    [{ auto_scaling_enabled: 'true' }, /requires labels.max_node_count/],
    [{ auto_scaling_enabled: 'maybe' }, /must be true or false/],
    [{ keystone_auth_enabled: 'maybe' }, /must be true or false/],
    [{ api_master_lb_allowed_cidrs: ',' }, /^labels.api_master_lb_allowed_cidrs: "," is an empty list/],
    [{ master_lb_allowed_cidrs: ' ; ' }, /^labels.master_lb_allowed_cidrs: .* is an empty list/],
    [{ availability_zone: ',' }, /^labels.availability_zone: "," is an empty list/],
    [
      { api_master_lb_allowed_cidrs: '192.0.2.0/24', master_lb_allowed_cidrs: '198.51.100.0/24' },
      /contradict each other/,
    ],
    [{ master_lb_floating_ip_enabled: 'False' }, /^labels.master_lb_floating_ip_enabled can't be false: API servers/],
    [{ master_lb_floating_ip_enabled: 'no' }, /can't be false/],
    [{ master_lb_floating_ip_enabled: 'maybe' }, /must be true or false/],
    [{ cinder_csi_enabled: ' false' }, /must be true or false/],
    [{ auto_healing_enabled: 'falsch' }, /must be true or false/],
    [{ octavia_provider: 'ovn' }, /use the annotation loadbalancer.fairway.dev\/provider/],
    [{ selinux_mode: 'enforcing' }, /selinux_mode is not supported/],
    [{ Master_LB_Allowed_CIDRs: '192.0.2.0/24' }, /^labels.Master_LB_Allowed_CIDRs is unknown and would be lost/],
    [{ api_server_allowed_ips: '192.0.2.1' }, /is unknown/],
    [{ extra_security_group: 'web' }, /is unknown/],
    [{ min_node_count: '1.5' }, /must be a whole number/],
    [{ boot_volume_size: 'big' }, /must be a whole number/],
    [{ boot_volume_type: 'fast' }, /requires labels.boot_volume_size/],
  ])('are refused: %j', (labels, message) => {
    expect(() => specFromLabels(labels)).toThrow(message);
  });

  test.each(Object.keys(REFUSED_LABELS))('are refused if %s is set, but accepted if its value is off', (name) => {
    expect(() => specFromLabels({ [name]: 'something' })).toThrow(`labels.${name} is not supported: `);
    expect(specFromLabels({ [name]: 'False' })).toEqual({ cluster: {}, pool: {} });
  });

  test('are accepted and reported if they are harmless', () => {
    const labels = Object.fromEntries(HARMLESS_LABELS.map((name) => [name, 'x']));

    expect(specFromLabels(labels)).toEqual({ cluster: {}, pool: {} });
    expect(labelsWithoutEffect(labels)).toEqual(HARMLESS_LABELS);
  });

  test('are not applied again to a nodegroup, which must not add cluster-wide restrictions', () => {
    const clusterLabels = { octavia_provider: 'ovn', master_lb_allowed_cidrs: '192.0.2.0/24', availability_zone: 'a' };

    expect(poolSpecFromLabels(clusterLabels, { ...clusterLabels, boot_volume_size: '9' })).toEqual({
      availabilityZones: ['a'],
      rootVolume: { sizeGiB: 9 },
    });
    expect(() => poolSpecFromLabels({}, clusterLabels)).toThrow(
      'labels.master_lb_allowed_cidrs applies to the whole cluster',
    );
    expect(() => poolSpecFromLabels({}, { octavia_provider: 'ovn' })).toThrow('not supported');
  });

  test('are reported if they have no effect', () => {
    expect(labelsWithoutEffect({ kube_tag: 'v1.34', my_own: 'x', cinder_csi_enabled: 'true' })).toEqual(['my_own']);
  });
});

describe('labels merged with those of a template', () => {
  test.each([
    {
      own: undefined,
      merge: false,
      expected: { a: '1', b: '2' },
      reason: 'a cluster without labels inherits the labels of its template',
    },
    {
      own: {},
      merge: false,
      expected: { a: '1', b: '2' },
      reason: 'a cluster with empty labels inherits the labels of its template',
    },
    {
      own: { a: '3' },
      merge: false,
      expected: { a: '3' },
      reason: 'the labels of a cluster replace those of its template',
    },
    {
      own: { a: '3' },
      merge: true,
      expected: { a: '3', b: '2' },
      reason: 'the labels of a cluster are merged over those of its template if requested',
    },
  ])('$reason', ({ own, merge, expected }) => {
    expect(effectiveLabelsOf({ a: '1', b: '2' }, own, merge)).toEqual(expected);
  });

  test('are reported as overridden, added or skipped', () => {
    expect(labelDifferences({ a: '1', b: '2' }, { a: '3', c: '4' })).toEqual({
      labels_overridden: { a: '1' },
      labels_added: { c: '4' },
      labels_skipped: { b: '2' },
    });
  });
});
