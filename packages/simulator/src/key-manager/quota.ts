import type { World } from '../world.ts';
import { isUnexpired } from './lookup.ts';
import { reportedIssue } from './problem.ts';

export const KEY_RESOURCES = ['secrets', 'orders', 'containers', 'consumers', 'cas'] as const;
type KeyResource = (typeof KEY_RESOURCES)[number];

export function keyQuotaId(projectId: string): string {
  return `key-manager/${projectId}`;
}

/** The limits of a project; -1 is unlimited, and 0 forbids. */
export function keyLimits({ config, tables }: World, projectId: string): Record<string, number> {
  return { ...config.quotas['key-manager'], ...tables.quotas.get(keyQuotaId(projectId))?.limits };
}

/** Throws Barbican's 403 if a project has reached its limit. */
export function requireKeyQuota(world: World, projectId: string, resource: KeyResource, operation: string): void {
  const limit = keyLimits(world, projectId)[resource] ?? -1;
  if (limit < 0 || usage(world, projectId, resource) < limit) return;
  throw reportedIssue(operation, 403, 'Creation not allowed because a quota has been reached');
}

function usage({ tables, clock }: World, projectId: string, resource: KeyResource): number {
  const isOwn = (row: { readonly projectId: string }): boolean => row.projectId === projectId;
  switch (resource) {
    case 'secrets':
      return tables.keySecrets.where((secret) => isOwn(secret) && isUnexpired(secret, clock.now())).length;
    case 'orders':
      return tables.keyOrders.where(isOwn).length;
    case 'containers':
      return tables.keyContainers.where(isOwn).length;
    case 'consumers':
      return [...tables.keySecrets.values(), ...tables.keyContainers.values()].reduce(
        (sum, { consumers }) => sum + (consumers as readonly { projectId: string }[]).filter(isOwn).length,
        0,
      );
    case 'cas':
      return 0;
  }
}
