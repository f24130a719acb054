import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Cloud } from '@fairway/simulator/cloud';
import { ownerDescription, serverGroupName, serverOwner } from '@fairway/tenancy/cloud/ownership';

type Table =
  | 'servers'
  | 'serverGroups'
  | 'networks'
  | 'subnets'
  | 'ports'
  | 'routers'
  | 'floatingIps'
  | 'securityGroups';

interface Row {
  readonly id: string;
  readonly name?: string;
  readonly description?: string | null;
  readonly tags?: readonly string[];
  readonly deletedMs?: number | null;
  readonly device_id?: string;
  readonly device_owner?: string;
  readonly port_id?: string | null;
}

/** A cloud's resources by kind. */
export type CloudContents = Readonly<Record<Table, readonly Row[]>>;

const TABLES = {
  servers: 'servers',
  serverGroups: 'server_groups',
  networks: 'networks',
  subnets: 'subnets',
  ports: 'ports',
  routers: 'routers',
  floatingIps: 'floating_ips',
  securityGroups: 'security_groups',
} as const satisfies Record<Table, string>;

export function cloudContents(cloud: Cloud): CloudContents {
  const snapshot = cloud.snapshot() as Readonly<Record<string, readonly Row[]>>;
  const live = (table: Table) =>
    (snapshot[TABLES[table]] ?? []).filter(
      ({ deletedMs, name }) => deletedMs == null && !isNeutronManaged(table, name),
    );
  return Object.fromEntries(Object.keys(TABLES).map((table) => [table, live(table as Table)])) as CloudContents &
    object;
}

/** Neutron creates this group in every project on the first request for its security groups. */
function isNeutronManaged(table: Table, name: string | undefined): boolean {
  return table === 'securityGroups' && name === 'default';
}

/** The objects of Fairway's API. */
export interface Inventory {
  readonly clusters: readonly Cluster[];
  readonly pools: readonly NodePool[];
  readonly machines: readonly Machine[];
}

/**
 * Reports leaked, duplicate and missing resources: every new resource in the cloud must be the only one with the tag of
 * an existing Fairway object, and every object must have all of its resources.
 */
export function leakReports(
  before: CloudContents,
  now: CloudContents,
  { clusters, pools, machines }: Inventory,
): string[] {
  const fresh = (table: Table) => {
    const known = new Set(before[table].map(({ id }) => id));
    return now[table].filter(({ id }) => !known.has(id));
  };
  const roles = {
    networks: 'network',
    subnets: 'subnet',
    routers: 'router',
    securityGroups: 'node-security-group',
  } as const;
  const clusterUidOf = (clusterName: string) => {
    const owner = clusters.find(({ metadata }) => metadata.name === clusterName);
    return owner ? identityOf(owner) : '';
  };
  const expected: Record<Exclude<Table, 'ports'>, readonly string[]> = {
    servers: machines.map(identityOf),
    serverGroups: pools
      .filter(({ spec }) => spec.antiAffinity)
      .map((pool) => serverGroupName({ clusterUid: clusterUidOf(pool.spec.clusterName), poolUid: identityOf(pool) })),
    floatingIps: machines
      .filter(({ spec }) => spec.floatingIP)
      .map((machine) => ownerDescription(clusterUidOf(machine.spec.clusterName), `floating-ip-${identityOf(machine)}`)),
    networks: clusters.map((cluster) => ownerDescription(identityOf(cluster), roles.networks)),
    subnets: clusters.map((cluster) => ownerDescription(identityOf(cluster), roles.subnets)),
    routers: clusters.map((cluster) => ownerDescription(identityOf(cluster), roles.routers)),
    securityGroups: clusters.map((cluster) => ownerDescription(identityOf(cluster), roles.securityGroups)),
  };
  const identities: Record<keyof typeof expected, (row: Row) => string> = {
    servers: ({ tags = [], name }) => serverOwner({ tags })?.machineUid ?? `none (${name})`,
    serverGroups: ({ name = '' }) => name,
    floatingIps: ({ description }) => description ?? '',
    networks: ({ description }) => description ?? '',
    subnets: ({ description }) => description ?? '',
    routers: ({ description }) => description ?? '',
    securityGroups: ({ description }) => description ?? '',
  };
  const kinds = Object.keys(expected) as (keyof typeof expected)[];
  return [
    ...kinds.flatMap((kind) => differences(kind, expected[kind], fresh(kind).map(identities[kind]))),
    ...differences(
      'further ports',
      additionalPortsOf(machines, clusterUidOf),
      fresh('ports').flatMap(additionalPortKey),
    ),
    ...orphanedPorts(fresh('ports'), now),
  ];
}

/** Tags of ports in the networks that pools specify. */
function additionalPortsOf(machines: readonly Machine[], clusterUidOf: (clusterName: string) => string): string[] {
  return machines.flatMap((machine) =>
    (machine.spec.networks ?? []).map(({ networkID }) =>
      ownerDescription(clusterUidOf(machine.spec.clusterName), `port-${identityOf(machine)}/${networkID}`),
    ),
  );
}

function additionalPortKey({ description }: Row): string[] {
  return description && / port-[^ ]+\/[^ ]+$/.test(description) ? [description] : [];
}

function differences(kind: string, expected: readonly string[], present: readonly string[]): string[] {
  const missing = expected.filter((mark) => !present.includes(mark)).map((mark) => `${kind}: missing ${mark}`);
  const leaked = present.filter((mark) => !expected.includes(mark)).map((mark) => `${kind}: leaked ${mark}`);
  const duplicates = present
    .filter((mark, index) => expected.includes(mark) && present.indexOf(mark) !== index)
    .map((mark) => `${kind}: doubled ${mark}`);
  return [...missing, ...leaked, ...duplicates];
}

/** Ports whose server or router no longer exists. */
function orphanedPorts(ports: readonly Row[], { servers, routers, networks }: CloudContents): string[] {
  const existingIds = new Set([...servers, ...routers, ...networks].map(({ id }) => id));
  return ports
    .filter(({ device_id = '', device_owner }) => device_owner !== 'network:floatingip' && !existingIds.has(device_id))
    .map(({ id, device_owner, device_id }) => `ports: leaked ${id} of ${device_owner} ${device_id}`);
}
