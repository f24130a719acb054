import type { FieldError } from '@fairway/kube/object/field-error';
import { findOverlaps, type NamedRange } from '../domain/address-plan.ts';
import { isCidr, isPrivate, parseCidr } from '../domain/cidr.ts';
import { effectiveNetworking } from '../domain/effective-networking.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { Plan } from '../kinds/plan.ts';
import { limitError } from '../limits/notes.ts';
import type { CatalogueSubnet } from './cloud-catalogue.ts';
import { type ClusterAdmission, isUndecided } from './cluster-admission.ts';

/** Maximum prefix lengths, that is, minimum sizes: a /16 for pods is enough for 256 nodes with a /24 each. */
const MAX_PREFIX_LENGTH = 16;
const MAX_NODES_PREFIX_LENGTH = 28;

const LOAD_BALANCERS_FIELD = 'spec.network.loadBalancersSubnetID';

interface FieldRange extends NamedRange {
  /** The field to report if the user chose the range. */
  readonly field?: string | undefined;
  /** The value that the user set, if it is not the range itself. */
  readonly id?: string;
  /** Reserved by the plan; reserved ranges may overlap each other. */
  readonly isReserved?: boolean;
}

/** Validates the pod, Service and node ranges, individually and against each other. */
export function addressErrors(admission: ClusterAdmission, plan: Plan): FieldError[] {
  const { cluster, old } = admission;
  if (old !== undefined && !isUndecided(admission)) {
    // All other range fields are immutable.
    const isUnchanged = cluster.spec.network.loadBalancersSubnetID === old.spec.network.loadBalancersSubnetID;
    return isUnchanged ? [] : overlapErrors(admission, plan).filter(({ field }) => field === LOAD_BALANCERS_FIELD);
  }
  return [...customRangeErrors(admission, plan), ...overlapErrors(admission, plan)];
}

function customRangeErrors({ cluster }: ClusterAdmission, plan: Plan): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['podCIDR', 'serviceCIDR'] as const) {
    const value = cluster.spec[name];
    if (value === undefined || !isCidr(value)) continue;
    const field = `spec.${name}`;
    if (!plan.spec.network.customCIDRs && value !== plan.spec.network[name]) {
      const detail = `plan "${plan.metadata.name}" has a fixed CIDR ${plan.spec.network[name]}: remove the field`;
      errors.push(limitError('network.customCIDRs', { type: 'FieldValueForbidden', field, detail }));
      continue;
    }
    errors.push(...rangeErrors(field, value, MAX_PREFIX_LENGTH));
  }
  const { nodesCIDR } = cluster.spec.network;
  if (nodesCIDR !== undefined && isCidr(nodesCIDR)) {
    errors.push(...rangeErrors('spec.network.nodesCIDR', nodesCIDR, MAX_NODES_PREFIX_LENGTH));
  }
  return errors;
}

function rangeErrors(field: string, value: string, maxPrefixLength: number): FieldError[] {
  const errors: FieldError[] = [];
  const cidr = parseCidr(value);
  if (!isPrivate(cidr)) {
    const detail = 'must be private: within 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16 (RFC 1918)';
    errors.push({ type: 'FieldValueInvalid', field, value, detail });
  }
  if (cidr.prefixLength > maxPrefixLength) {
    errors.push({
      type: 'FieldValueInvalid',
      field,
      value,
      detail: `must be a /${maxPrefixLength} or larger: the prefix length must be at most ${maxPrefixLength}`,
    });
  }
  return errors;
}

function overlapErrors(admission: ClusterAdmission, plan: Plan): FieldError[] {
  const pairs = findOverlaps(rangesOf(admission, plan)).filter(({ a, b }) => !(a.isReserved && b.isReserved));
  return pairs.map(({ a, b }) => {
    const [offender, other] = b.field === undefined ? [a, b] : [b, a];
    return {
      type: 'FieldValueInvalid',
      field: offender.field ?? 'spec.plan',
      value: offender.id ?? offender.cidr,
      detail: `the ${offender.name} ${offender.cidr} overlaps the ${other.name} ${other.cidr}: choose a CIDR that does not overlap it`,
    };
  });
}

/** All of the cluster's ranges; those that users can't change come first. */
function rangesOf({ cluster, catalogue }: ClusterAdmission, plan: Plan): FieldRange[] {
  const { spec } = cluster;
  const { podCIDR, serviceCIDR, nodesCIDR } = effectiveNetworking(cluster, plan.spec);
  const ownNodes = { name: 'node network', cidr: nodesCIDR, field: spec.network.nodesCIDR && 'spec.network.nodesCIDR' };
  return [
    ...plan.spec.network.reservedCIDRs.map((cidr) => ({ name: 'reserved range', cidr, isReserved: true })),
    { name: 'pod network', cidr: podCIDR, field: spec.podCIDR && 'spec.podCIDR' },
    { name: 'service network', cidr: serviceCIDR, field: spec.serviceCIDR && 'spec.serviceCIDR' },
    ...(spec.network.networkID === undefined ? [ownNodes] : chosenSubnets(cluster, catalogue.subnets ?? [])),
  ];
}

/** The cluster's subnets, or all subnets in its network if unset: their addresses must stay routable. */
function chosenSubnets({ spec: { network }, status }: Cluster, subnets: readonly CatalogueSubnet[]): FieldRange[] {
  const nodes: FieldRange[] = [];
  const loadBalancers: FieldRange[] = [];
  const { loadBalancersSubnetID, subnetID = status?.network?.subnetID } = network;
  for (const { id, name, cidr, ipVersion, networkID } of subnets) {
    if (ipVersion !== 4) continue;
    const range = { name: `subnet "${name || id}"`, cidr, id };
    if (id === subnetID) nodes.push({ ...range, field: 'spec.network.subnetID' });
    else if (id === loadBalancersSubnetID) loadBalancers.push({ ...range, field: LOAD_BALANCERS_FIELD });
    else if (networkID === network.networkID && subnetID === undefined) {
      nodes.push({ ...range, field: 'spec.network.networkID' });
    }
  }
  return [...nodes, ...loadBalancers];
}
