import { ok, type Route } from '../http/api.ts';
import { missing } from './problem.ts';

/** Aliases and names of the Neutron extensions that the simulator supports. */
const EXTENSIONS: readonly (readonly [alias: string, name: string])[] = [
  ['agent', 'agent'],
  ['allowed-address-pairs', 'Allowed Address Pairs'],
  ['availability_zone', 'Availability Zone'],
  ['availability_zone_filter', 'Availability Zone Filter Extension'],
  ['binding', 'Port Binding'],
  ['empty-string-filtering', 'Empty String Filtering Extension'],
  ['ext-gw-mode', 'Neutron L3 Configurable external gateway mode'],
  ['external-net', 'Neutron external network'],
  ['extra_dhcp_opt', 'Neutron Extra DHCP options'],
  ['extraroute', 'Neutron Extra Route'],
  ['extraroute-atomic', 'Atomically add/remove extra routes'],
  ['fip-port-details', 'Floating IP Port Details Extension'],
  ['filter-validation', 'Filter parameters validation'],
  ['ip-substring-filtering', 'IP address substring filtering'],
  ['l3-ha', 'HA Router extension'],
  ['net-mtu', 'Network MTU'],
  ['net-mtu-writable', 'Network MTU (writable)'],
  ['network_availability_zone', 'Network Availability Zone'],
  ['pagination', 'Pagination support'],
  ['port-security', 'Port Security'],
  ['project-id', 'project_id field enabled'],
  ['provider', 'Provider Network'],
  ['quotas', 'Quota management support'],
  ['quota_details', 'Quota details management support'],
  ['rbac-policies', 'RBAC Policies'],
  ['rbac-security-groups', 'Add security_group type to network RBAC'],
  ['revision-if-match', 'If-Match constraints based on revision_number'],
  ['router', 'Neutron L3 Router'],
  ['router_availability_zone', 'Router Availability Zone'],
  ['security-group', 'security-group'],
  ['security-groups-normalized-cidr', 'Normalized CIDR field for security group rules'],
  ['security-groups-shared-filtering', 'Security group filtering on the shared field'],
  ['sorting', 'Sorting support'],
  ['standard-attr-description', 'standard-attr-description'],
  ['standard-attr-revisions', 'Resource revision numbers'],
  ['standard-attr-tag', 'Tag support for resources with standard attribute'],
  ['standard-attr-timestamp', 'Resource timestamps'],
  ['stateful-security-group', 'Stateful security group'],
  ['subnet-service-types', 'Subnet service types'],
];

const VIEWS = EXTENSIONS.map(([alias, name]) => ({
  alias,
  name,
  description: name,
  updated: '2016-01-01T00:00:00-00:00',
  links: [],
}));

export function extensionRoutes(): Route[] {
  return [
    { method: 'GET', template: '/v2.0/extensions', handle: () => ok({ extensions: VIEWS }) },
    {
      method: 'GET',
      template: '/v2.0/extensions/{alias}',
      handle: ({ params }) => {
        const extension = VIEWS.find((view) => view.alias === params['alias']);
        if (extension === undefined) throw missing('HTTPNotFound', 'The resource could not be found.');
        return ok({ extension });
      },
    },
  ];
}
