import type { Network } from './network.ts';

interface ProjectOwned {
  readonly project_id: string;
  /** `project_id` in Neutron before Newton. */
  readonly tenant_id?: string | undefined;
}

/**
 * The resources of the session's project and public ones. Neutron shows an administrator the resources of every
 * project, which users of an administrator's credential must not see or use through Fairway.
 */
export async function* projectResources<T extends ProjectOwned>(
  network: Pick<Network, 'projectId'>,
  items: AsyncIterable<T>,
  isPublic: (item: T) => boolean = () => false,
): AsyncGenerator<T> {
  const own = await network.projectId();
  for await (const item of items) {
    const owner = item.project_id || item.tenant_id;
    if (!owner || owner === own || isPublic(item)) yield item;
  }
}
