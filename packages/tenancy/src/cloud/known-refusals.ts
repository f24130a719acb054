import type { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Problem } from '../problem.ts';

interface Refusal extends Pick<Problem, 'reason'> {
  readonly service: 'compute' | 'network';
  readonly kind: OpenStackError['kind'];
  /** Calls to which the entry applies; all by default. */
  readonly templates?: readonly string[];
  /** The service's message in OpenStack Zed; see tests/contract/openstack. */
  readonly messagePattern: RegExp;
  readonly advice: string;
}

/** Errors that can be distinguished only by their message. */
const REFUSALS: readonly Refusal[] = [
  {
    service: 'network',
    kind: 'outOfCapacity',
    // Neutron uses the same message for external and other networks.
    templates: ['/floatingips', '/floatingips/{floatingip_id}', '/routers', '/routers/{router_id}'],
    messagePattern: /no more ip addresses available/i,
    reason: 'AddressesExhausted',
    advice:
      'this external network has no free public address: release unused floating IPs (`openstack floating ip list`), or ask the cloud operator for more addresses; Fairway then continues automatically',
  },
  {
    service: 'network',
    kind: 'outOfCapacity',
    messagePattern: /no more ip addresses available/i,
    reason: 'AddressesExhausted',
    advice: 'delete unused ports, or scale pools down; a cluster with more nodes needs a larger subnet',
  },
  {
    service: 'network',
    kind: 'outOfCapacity',
    messagePattern: /unable to find any ip address on external/i,
    reason: 'AddressesExhausted',
    advice: 'release unused floating IPs, or ask the cloud operator for more addresses',
  },
  {
    service: 'network',
    kind: 'badRequest',
    messagePattern: /\bcidr \S+ of subnet \S+ overlaps with cidr/i,
    reason: 'AddressRangeOverlap',
    advice: 'specify another router, or detach the router from the other subnet',
  },
  {
    service: 'network',
    kind: 'badRequest',
    messagePattern: /the number of routes exceeds the maximum/i,
    reason: 'QuotaExceeded',
    advice: 'ask the cloud operator to raise max_routes of Neutron; each node needs one route',
  },
  {
    service: 'compute',
    kind: 'badRequest',
    messagePattern: /requested availability zone is not available/i,
    reason: 'ZoneNotFound',
    advice: 'create another pool with zones from `openstack availability zone list --compute`',
  },
  {
    service: 'compute',
    kind: 'badRequest',
    messagePattern: /^volume type .* could not be found/i,
    reason: 'VolumeTypeNotFound',
    advice: 'set spec.rootVolume.type of the pool to a type from `openstack volume type list`',
  },
];

/** The problem that the service's message describes; undefined if the status alone is sufficient. */
export function knownRefusal({ service, kind, detail, template }: OpenStackError): Problem | undefined {
  const known = REFUSALS.find(
    (each) =>
      each.service === service &&
      each.kind === kind &&
      (each.templates?.includes(template) ?? true) &&
      each.messagePattern.test(detail),
  );
  return known && { reason: known.reason, message: `${service}: ${detail.replace(/\.$/, '')}; ${known.advice}` };
}
