import type { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Problem } from '../problem.ts';

interface Refusal extends Pick<Problem, 'reason'> {
  readonly service: 'compute' | 'network';
  readonly kind: OpenStackError['kind'];
  /** What the service says; as Zed says it, see tests/contract/openstack. */
  readonly says: RegExp;
  readonly advice: string;
}

/** Answers whose words alone tell what is wrong. */
const REFUSALS: readonly Refusal[] = [
  {
    service: 'network',
    kind: 'outOfCapacity',
    says: /no more ip addresses available/i,
    reason: 'AddressesExhausted',
    advice: 'delete ports that nobody needs, or scale pools down; a cluster with more nodes needs a larger subnet',
  },
  {
    service: 'network',
    kind: 'outOfCapacity',
    says: /unable to find any ip address on external/i,
    reason: 'AddressesExhausted',
    advice: 'release floating IPs that nobody needs, or ask the operator of the cloud for more',
  },
  {
    service: 'network',
    kind: 'badRequest',
    says: /\bcidr \S+ of subnet \S+ overlaps with cidr/i,
    reason: 'AddressRangeOverlap',
    advice: 'name another router, or detach it from the other subnet',
  },
  {
    service: 'network',
    kind: 'badRequest',
    says: /the number of routes exceeds the maximum/i,
    reason: 'QuotaExceeded',
    advice: 'ask the operator of the cloud for a larger max_routes of Neutron, one for each node',
  },
  {
    service: 'compute',
    kind: 'badRequest',
    says: /requested availability zone is not available/i,
    reason: 'ZoneNotFound',
    advice: 'make another pool with zones of `openstack availability zone list --compute`',
  },
  {
    service: 'compute',
    kind: 'badRequest',
    says: /^volume type .* could not be found/i,
    reason: 'VolumeTypeNotFound',
    advice: 'set spec.rootVolume.type of the pool to one of `openstack volume type list`',
  },
];

/** The problem that a service's own words tell; undefined if its status tells all. */
export function knownRefusal({ service, kind, detail }: OpenStackError): Problem | undefined {
  const known = REFUSALS.find((each) => each.service === service && each.kind === kind && each.says.test(detail));
  return known && { reason: known.reason, message: `${service}: ${detail.replace(/\.$/, '')}; ${known.advice}` };
}
