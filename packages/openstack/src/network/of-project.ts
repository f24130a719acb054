import type { Network } from './network.ts';

interface Owned {
  readonly project_id: string;
  /** `project_id` of Neutron before Newton. */
  readonly tenant_id?: string | undefined;
}

/**
 * What the session's project has, and what is for all. Neutron shows an administrator the resources of every project, and nobody who uses an
 * administrator's credential through Fairway may see or use those.
 */
export async function* ofProject<T extends Owned>(
  network: Pick<Network, 'projectId'>,
  items: AsyncIterable<T>,
  isForAll: (item: T) => boolean = () => false,
): AsyncGenerator<T> {
  const own = await network.projectId();
  for await (const item of items) {
    const owner = item.project_id || item.tenant_id;
    if (!owner || owner === own || isForAll(item)) yield item;
  }
}
