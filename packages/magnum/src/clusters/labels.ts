import type { NewCluster } from '@fairway/api/kinds/cluster';
import type { NewNodePool } from '@fairway/api/kinds/node-pool';
import { invalidInput } from '../http/magnum-error.ts';

export type Labels = Readonly<Record<string, string>>;

/** What labels ask of a cluster and of its first pool. */
export interface Asked {
  readonly cluster: Partial<NewCluster['spec']>;
  readonly pool: Partial<Omit<NewNodePool['spec'], 'clusterName' | 'flavor'>>;
}

/** Labels that are acted upon; `docs/tenants/magnum.md` has a row for each. */
export const TRANSLATED_LABELS = [
  'kube_tag',
  'fairway_plan',
  'availability_zone',
  'boot_volume_size',
  'boot_volume_type',
  'fixed_network_cidr',
  'pods_network_cidr',
  'calico_ipv4pool',
  'flannel_network_cidr',
  'cilium_ipv4pool',
  'service_cluster_ip_range',
  'api_master_lb_allowed_cidrs',
  'keystone_auth_enabled',
  'auto_scaling_enabled',
  'min_node_count',
  'max_node_count',
  'auto_healing_enabled',
] as const;

const ADDON = 'Fairway installs no such add-on; install it with kubectl or Helm';
const OPTIONS = 'Fairway sets the options of Kubernetes itself';

/** Labels that are refused with any value that asks for something, and why. */
export const REFUSED_LABELS: Readonly<Record<string, string>> = {
  kube_dashboard_enabled: ADDON,
  monitoring_enabled: ADDON,
  influx_grafana_dashboard_enabled: ADDON,
  prometheus_monitoring: ADDON,
  tiller_enabled: ADDON,
  admission_control_list: OPTIONS,
  kubeapi_options: OPTIONS,
  kubecontroller_options: OPTIONS,
  kubelet_options: OPTIONS,
  kubeproxy_options: OPTIONS,
  kubescheduler_options: OPTIONS,
  etcd_volume_size: "databases are Fairway's and have no volume of the project",
  etcd_volume_type: "databases are Fairway's and have no volume of the project",
  fixed_subnet_cidr: 'use fixed_network_cidr',
  custom_nodes_image: 'use image_id of the template',
};

/** Labels that are so whatever they say: with `false` they are refused. */
export const ALWAYS_ON_LABELS = ['cloud_provider_enabled', 'cinder_csi_enabled', 'metrics_server_enabled'] as const;

/** Those of a cluster that have no effect, and are only shown again: whoever gave them is told in `status_reason`. */
export function labelsWithoutEffect(labels: Labels): readonly string[] {
  const known: readonly string[] = [...TRANSLATED_LABELS, ...Object.keys(REFUSED_LABELS), ...ALWAYS_ON_LABELS];
  return Object.keys(labels).filter((name) => !known.includes(name));
}

/** Translated labels that say something of nodes; the others are of the whole cluster. */
const NODE_LABELS: readonly string[] = [
  'availability_zone',
  'boot_volume_size',
  'boot_volume_type',
  'auto_scaling_enabled',
  'min_node_count',
  'max_node_count',
  'auto_healing_enabled',
] satisfies (typeof TRANSLATED_LABELS)[number][];

/** Labels of a nodegroup's own that have no effect, which is told in the same way; what it has of its cluster has had its effect there. */
export function nodeLabelsWithoutEffect(ofCluster: Labels, labels: Labels): readonly string[] {
  const ofClusters = TRANSLATED_LABELS.filter((name) => !NODE_LABELS.includes(name) && Object.hasOwn(labels, name));
  return [...labelsWithoutEffect(labels), ...ofClusters].filter((name) => ofCluster[name] !== labels[name]);
}

/** Throws 400 for a label that can't be followed. Pure. */
export function askedByLabels(labels: Labels): Asked {
  refuse(labels);
  const {
    kube_tag: version,
    fairway_plan: plan,
    availability_zone: zones,
    boot_volume_size: volumeSize,
    boot_volume_type: volumeType,
    fixed_network_cidr: nodesCIDR,
    service_cluster_ip_range: serviceCIDR,
    api_master_lb_allowed_cidrs: allowed,
  } = labels;
  const podCIDR =
    labels['pods_network_cidr'] ??
    labels['calico_ipv4pool'] ??
    labels['flannel_network_cidr'] ??
    labels['cilium_ipv4pool'];
  if (volumeType !== undefined && volumeSize === undefined) {
    throw invalidInput(
      "labels.boot_volume_type needs labels.boot_volume_size: nodes boot from their flavor's disk otherwise",
    );
  }
  const healing = booleanLabel(labels, 'auto_healing_enabled');
  const apiServer = {
    ...(allowed !== undefined && { allowedCIDRs: listed(allowed) }),
    ...(booleanLabel(labels, 'keystone_auth_enabled') === true && { keystone: {} }),
  };
  return {
    cluster: {
      ...(version !== undefined && { version: version.replace(/^v/, '') }),
      ...(plan !== undefined && { plan }),
      ...(nodesCIDR !== undefined && { network: { nodesCIDR } }),
      ...(podCIDR !== undefined && { podCIDR }),
      ...(serviceCIDR !== undefined && { serviceCIDR }),
      ...(Object.keys(apiServer).length > 0 && { apiServer }),
    },
    pool: {
      ...(zones !== undefined && zones !== '' && { availabilityZones: listed(zones) }),
      ...(volumeSize !== undefined && {
        rootVolume: {
          sizeGiB: wholeLabel(labels, 'boot_volume_size') ?? 0,
          ...(volumeType !== undefined && { type: volumeType }),
        },
      }),
      ...(healing !== undefined && { healing: { enabled: healing } }),
      ...autoscaling(labels),
    },
  };
}

/** What a text names, separated by commas. */
export function listed(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function refuse(labels: Labels): void {
  for (const [name, value] of Object.entries(labels)) {
    const why = Object.hasOwn(REFUSED_LABELS, name) ? REFUSED_LABELS[name] : undefined;
    if (why !== undefined && !isOff(value)) throw invalidInput(`labels.${name} is not supported: ${why}`);
    if (ALWAYS_ON_LABELS.some((always) => always === name) && isOff(value)) {
      throw invalidInput(`labels.${name} can't be false: every cluster has it`);
    }
  }
}

function isOff(value: string): boolean {
  return value === '' || /^(false|no|off|0)$/i.test(value);
}

function autoscaling(labels: Labels): Asked['pool'] {
  const [min, max] = [wholeLabel(labels, 'min_node_count'), wholeLabel(labels, 'max_node_count')];
  const enabled = booleanLabel(labels, 'auto_scaling_enabled') ?? false;
  if (enabled && max === undefined) throw invalidInput('labels.auto_scaling_enabled needs labels.max_node_count');
  return {
    ...(min !== undefined && { minReplicas: min }),
    ...(max !== undefined && { maxReplicas: max }),
    ...(enabled && { autoscaling: { enabled } }),
  };
}

function booleanLabel(labels: Labels, name: string): boolean | undefined {
  const value = labels[name];
  if (value === undefined || value === '') return undefined;
  if (/^(true|yes|on|1)$/i.test(value)) return true;
  if (isOff(value)) return false;
  throw invalidInput(`labels.${name} must be true or false, not "${value.slice(0, 40)}"`);
}

function wholeLabel(labels: Labels, name: string): number | undefined {
  const value = labels[name];
  if (value === undefined || value === '') return undefined;
  if (!/^[0-9]{1,6}$/.test(value))
    throw invalidInput(`labels.${name} must be a whole number, not "${value.slice(0, 40)}"`);
  return Number(value);
}

/** What a cluster has beside its template, and what of the template it lacks, as Magnum shows it: of what is overridden the template's value. */
export function labelsBeside(parent: Labels, labels: Labels) {
  const entries = Object.entries(labels);
  return {
    labels_overridden: Object.fromEntries(
      entries.flatMap(([key, value]) =>
        Object.hasOwn(parent, key) && parent[key] !== value ? [[key, parent[key] ?? '']] : [],
      ),
    ),
    labels_added: Object.fromEntries(entries.filter(([key]) => !Object.hasOwn(parent, key))),
    labels_skipped: Object.fromEntries(Object.entries(parent).filter(([key]) => !Object.hasOwn(labels, key))),
  };
}

/** Labels of a cluster or nodegroup: its own, those of what it is made of, or both. Pure. */
export function effectiveLabelsOf(parent: Labels = {}, own: Labels | undefined, merge: boolean | undefined): Labels {
  if (own === undefined || Object.keys(own).length === 0) return parent;
  return merge ? { ...parent, ...own } : own;
}
