import { isDeepStrictEqual } from 'node:util';
import type { NewCluster } from '@fairway/api/kinds/cluster';
import type { NewNodePool } from '@fairway/api/kinds/node-pool';
import { invalidInput } from '../http/magnum-error.ts';
import {
  ALWAYS_ON_LABELS,
  isOff,
  isUnknownRestriction,
  isUnsupported,
  labelsWithoutEffect,
  REFUSED_LABELS,
  TRANSLATED_LABELS,
} from './known-labels.ts';

export type Labels = Readonly<Record<string, string>>;

/** Spec fields of a cluster and its first pool that labels set. */
export interface LabelSpec {
  readonly cluster: Partial<NewCluster['spec']>;
  readonly pool: Partial<Omit<NewNodePool['spec'], 'clusterName' | 'flavor'>>;
}

/** Translated labels that apply to nodes; the others apply to the whole cluster. */
const NODE_LABELS: readonly string[] = [
  'availability_zone',
  'boot_volume_size',
  'boot_volume_type',
  'auto_scaling_enabled',
  'min_node_count',
  'max_node_count',
  'auto_healing_enabled',
] satisfies (typeof TRANSLATED_LABELS)[number][];

/**
 * A nodegroup's labels that have no effect, reported like those of a cluster. Labels inherited from the cluster were
 * applied there.
 */
export function nodeLabelsWithoutEffect(clusterLabels: Labels, labels: Labels): readonly string[] {
  const clusterWideLabels = TRANSLATED_LABELS.filter(
    (name) => !NODE_LABELS.includes(name) && Object.hasOwn(labels, name),
  );
  return [...labelsWithoutEffect(labels), ...clusterWideLabels].filter((name) => clusterLabels[name] !== labels[name]);
}

/** Spec fields that labels set. Throws 400 for an unsupported label. Pure. */
export function specFromLabels(labels: Labels): LabelSpec {
  rejectUnsupported(labels);
  const {
    kube_tag: version,
    fairway_plan: plan,
    availability_zone: zones,
    boot_volume_type: volumeType,
    fixed_network_cidr: nodesCIDR,
    service_cluster_ip_range: serviceCIDR,
  } = labels;
  // 0 is Magnum's default: no volume.
  const volumeSize = integerLabel(labels, 'boot_volume_size') || undefined;
  const allowed = allowedRanges(labels);
  const podCIDR =
    labels['pods_network_cidr'] ||
    labels['calico_ipv4pool'] ||
    labels['flannel_network_cidr'] ||
    labels['cilium_ipv4pool'];
  if (volumeType && volumeSize === undefined) {
    throw invalidInput(
      "labels.boot_volume_type requires labels.boot_volume_size: without it, nodes boot from their flavor's disk",
    );
  }
  const healing = booleanLabel(labels, 'auto_healing_enabled');
  const apiServer = {
    ...(allowed !== undefined && { allowedCIDRs: [...allowed] }),
    ...(booleanLabel(labels, 'keystone_auth_enabled') === true && { keystone: {} }),
  };
  return {
    cluster: {
      ...(version && { version: version.replace(/^v/, '') }),
      ...(plan && { plan }),
      ...(nodesCIDR && { network: { nodesCIDR } }),
      ...(podCIDR && { podCIDR }),
      ...(serviceCIDR && { serviceCIDR }),
      ...(Object.keys(apiServer).length > 0 && { apiServer }),
    },
    pool: {
      ...(zones && { availabilityZones: nonEmptyList(labels, 'availability_zone') }),
      ...(volumeSize !== undefined && {
        rootVolume: {
          sizeGiB: volumeSize,
          ...(volumeType && { type: volumeType }),
        },
      }),
      ...(healing !== undefined && { healing: { enabled: healing } }),
      ...autoscaling(labels),
    },
  };
}

/**
 * Allowed sources of requests to the API server, from either label; undefined allows everyone. An empty list would also
 * allow everyone, so a label without entries is rejected.
 */
function allowedRanges(labels: Labels): readonly string[] | undefined {
  const names = ['api_master_lb_allowed_cidrs', 'master_lb_allowed_cidrs'].filter((name) => labels[name]);
  const [first, second = first] = names.map((name) => nonEmptyList(labels, name));
  if (first && !isDeepStrictEqual(first.toSorted(), second?.toSorted())) {
    throw invalidInput(`labels.${names.join(' and labels.')} contradict each other: remove one`);
  }
  return first;
}

/** The items of a list label. Throws 400 for an empty list. */
function nonEmptyList(labels: Labels, name: string): string[] {
  const names = splitList(labels[name] ?? '');
  if (names.length > 0) return names;
  throw invalidInput(`labels.${name}: "${(labels[name] ?? '').slice(0, 40)}" is an empty list: remove the label`);
}

/**
 * Spec fields that labels request for a nodegroup. Labels inherited from the cluster were applied there. Throws 400 for
 * a cluster-wide restriction that only the nodegroup has, because it would have no effect. Pure.
 */
export function poolSpecFromLabels(clusterLabels: Labels, labels: Labels): LabelSpec['pool'] {
  const own = Object.entries(labels).filter(
    ([name, value]) => clusterLabels[name] !== value || NODE_LABELS.includes(name),
  );
  const restriction = own.find(([name, value]) => CLUSTER_RESTRICTIONS.includes(name) && value !== '');
  if (restriction)
    throw invalidInput(`labels.${restriction[0]} applies to the whole cluster: set it when you create the cluster`);
  return specFromLabels(Object.fromEntries(own)).pool;
}

const CLUSTER_RESTRICTIONS = ['api_master_lb_allowed_cidrs', 'master_lb_allowed_cidrs'];

/** Items separated by commas, as in the API, or by semicolons, as on the command line. */
export function splitList(text: string): string[] {
  return text
    .split(/[,;]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function rejectUnsupported(labels: Labels): void {
  for (const [name, value] of Object.entries(labels)) {
    if (isUnsupported(name, value)) throw invalidInput(`labels.${name} is not supported: ${REFUSED_LABELS[name]}`);
    if (isUnknownRestriction(name, value)) {
      throw invalidInput(`labels.${name} is unknown and would be lost: remove it, or check its spelling`);
    }
  }
  for (const [name, why] of Object.entries(ALWAYS_ON_LABELS)) {
    if (booleanLabel(labels, name) === false) throw invalidInput(`labels.${name} can't be false: ${why}`);
  }
}

function autoscaling(labels: Labels): LabelSpec['pool'] {
  const [min, max] = [integerLabel(labels, 'min_node_count'), integerLabel(labels, 'max_node_count')];
  const enabled = booleanLabel(labels, 'auto_scaling_enabled') ?? false;
  if (enabled && max === undefined) throw invalidInput('labels.auto_scaling_enabled requires labels.max_node_count');
  return {
    ...(min !== undefined && { minReplicas: min }),
    ...(max !== undefined && { maxReplicas: max }),
    ...(enabled && { autoscaling: { enabled } }),
  };
}

function booleanLabel(labels: Labels, name: string): boolean | undefined {
  const value = labels[name];
  if (value === undefined || value === '') return undefined;
  if (['true', 'yes', 'on', '1'].includes(value.toLowerCase())) return true;
  if (isOff(value)) return false;
  throw invalidInput(`labels.${name} must be true or false, not "${value.slice(0, 40)}"`);
}

function integerLabel(labels: Labels, name: string): number | undefined {
  const value = labels[name];
  if (value === undefined || value === '') return undefined;
  if (!/^[0-9]{1,6}$/.test(value))
    throw invalidInput(`labels.${name} must be a whole number, not "${value.slice(0, 40)}"`);
  return Number(value);
}

/**
 * Labels that the cluster adds to its template, skips, or overrides, in Magnum's format. An overridden label has the
 * template's value.
 */
export function labelDifferences(parent: Labels, labels: Labels) {
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

/** Labels of a cluster or nodegroup: its own labels, its parent's labels, or both. Pure. */
export function effectiveLabelsOf(parent: Labels = {}, own: Labels | undefined, merge: boolean | undefined): Labels {
  if (own === undefined || Object.keys(own).length === 0) return parent;
  return merge ? { ...parent, ...own } : own;
}
