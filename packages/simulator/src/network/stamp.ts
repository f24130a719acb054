import type { World } from '../world.ts';

/** The time as Neutron writes it. */
export function networkTime(world: World): string {
  return `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`;
}

/** What every object of the network API starts with. */
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
