import type { World } from '../world.ts';

/** A time in Neutron's format. */
export function networkTime(world: World): string {
  return `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`;
}

/** Fields that every object of the network API has. */
export function newResource(world: World, projectId: string, description: string | null | undefined) {
  const now = networkTime(world);
  return {
    id: world.ids.uuid(),
    project_id: projectId,
    description: description ?? '',
    tags: [] as readonly string[],
    created_at: now,
    updated_at: now,
    revision_number: 1,
  };
}
