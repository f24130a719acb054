import type { FlavorSpec } from '../config.ts';
import type { World } from '../world.ts';
import { flavorOf } from './find-flavor.ts';
import { forbidden } from './problem.ts';

/** The limits of a project; -1 is unlimited. */
export function computeLimits(world: World, projectId: string): Record<string, number> {
  return { ...world.config.quotas.compute, ...world.tables.quotas.get(`compute/${projectId}`)?.limits };
}

export interface ComputeUsage {
  readonly instances: number;
  readonly cores: number;
  readonly ram: number;
}

export function computeUsage(world: World, projectId: string): ComputeUsage {
  let [instances, cores, ram] = [0, 0, 0];
  for (const server of world.tables.servers.values()) {
    if (server.projectId !== projectId || server.deletedMs !== null) continue;
    const flavor = flavorOf(world, server.flavorId);
    instances++;
    cores += flavor.vcpus;
    ram += flavor.ramMiB;
  }
  return { instances, cores, ram };
}

/** Usage of one server with the flavor. */
export function usageOf(flavor: FlavorSpec): ComputeUsage {
  return { instances: 1, cores: flavor.vcpus, ram: flavor.ramMiB };
}

/**
 * How many servers with usage `each` the quota allows, at most `max`; throws Nova's 403 if it allows fewer than `min`.
 */
export function requireServerQuota(
  world: World,
  projectId: string,
  each: ComputeUsage,
  min: number,
  max: number,
): number {
  const limits = computeLimits(world, projectId);
  const used = computeUsage(world, projectId);
  const names = (['cores', 'instances', 'ram'] as const).filter((name) => each[name] > 0 && (limits[name] ?? -1) >= 0);
  const room = names.map((name) => Math.floor(((limits[name] ?? 0) - used[name]) / each[name]));
  const allowed = Math.min(max, ...room);
  if (allowed >= min) return allowed;
  const overs = names.filter((name) => used[name] + each[name] * max > (limits[name] ?? 0));
  const list = (pick: (name: (typeof names)[number]) => number | string | undefined): string =>
    overs.map(pick).join(', ');
  const requested = (name: (typeof names)[number]): string =>
    name === 'instances' && min !== max ? `${min}-${max}` : `${each[name] * max}`;
  throw forbidden(
    `Quota exceeded for ${overs.join(', ')}: Requested ${list(requested)}, but already used ${list((name) => used[name])} of ${list((name) => limits[name])} ${overs.join(', ')}`,
  );
}
