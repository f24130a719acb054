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

/** How many of each kind a cloud holds, Neutron's own default security groups left out. */
export function holdings(cloud: Cloud): Record<string, number> {
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

/** How many rows each table of a cloud holds, whatever it is for; those apart that only grow by use. */
export function rowsOf(cloud: Cloud): Record<string, number> {
  const snapshot = cloud.snapshot() as Readonly<Record<string, readonly Row[]>>;
  return Object.fromEntries(
    Object.entries(snapshot).map(([table, rows]) => [table, rows.filter(({ deletedMs }) => deletedMs == null).length]),
  );
}

/** Every server that ever was, by name, with when it was made, and whether it is gone. */
export function serverHistory(cloud: Cloud): readonly { name: string; createdMs: number; isGone: boolean }[] {
  const { servers = [] } = cloud.snapshot() as Readonly<Record<string, readonly Row[]>>;
  return servers.map(({ name = '', createdMs = 0, deletedMs }) => ({ name, createdMs, isGone: deletedMs != null }));
}

interface Row {
  readonly createdMs?: number;
  readonly name?: string;
  readonly deletedMs?: number | null;
}
