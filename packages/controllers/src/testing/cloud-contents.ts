import type { Cloud } from '@fairway/simulator/cloud';

const KINDS = [
  'servers',
  'server_groups',
  'networks',
  'subnets',
  'ports',
  'routers',
  'floating_ips',
  'security_groups',
  'load_balancers',
] as const;

/** The number of resources of each kind in a cloud, excluding Neutron's default security groups. */
export function resourceCounts(cloud: Cloud): Record<string, number> {
  const snapshot = cloud.snapshot() as Readonly<Record<string, readonly Row[]>>;
  return Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      (snapshot[kind] ?? []).filter(
        ({ deletedMs, name }) => deletedMs == null && !(kind === 'security_groups' && name === 'default'),
      ).length,
    ]),
  );
}

/** The number of rows in each of a cloud's tables, except those that only ever grow. */
export function rowsOf(cloud: Cloud): Record<string, number> {
  const snapshot = cloud.snapshot() as Readonly<Record<string, readonly Row[]>>;
  return Object.fromEntries(
    Object.entries(snapshot).map(([table, rows]) => [table, rows.filter(({ deletedMs }) => deletedMs == null).length]),
  );
}

/** All servers that ever existed, by name, with their creation time and whether they were deleted. */
export function serverHistory(cloud: Cloud): readonly { name: string; createdMs: number; isDeleted: boolean }[] {
  const { servers = [] } = cloud.snapshot() as Readonly<Record<string, readonly Row[]>>;
  return servers.map(({ name = '', createdMs = 0, deletedMs }) => ({ name, createdMs, isDeleted: deletedMs != null }));
}

interface Row {
  readonly createdMs?: number;
  readonly name?: string;
  readonly deletedMs?: number | null;
}
