import type { Network } from './network.ts';

interface Owned {
  readonly project_id: string;
  /** `project_id` in Neutron before Newton. */
  readonly tenant_id?: string | undefined;
}

/**
 * The session's project's own resources and public ones. Neutron shows an administrator the resources of every project, which
 * users of an administrator's credential must not see or use through Fairway.
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
