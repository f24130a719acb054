import { z } from 'zod';
import { pages } from '../pages.ts';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list } from '../types/collections.ts';
import { Link } from '../types/link.ts';
import { Member, type MemberCreate, Pool, type PoolFields } from '../types/load-balancer.ts';
import { OctaviaCollection } from './octavia-collection.ts';

/** In a load balancer, or directly as the default pool of a listener. */
type PoolCreate = PoolFields & ({ readonly loadbalancer_id: string } | { readonly listener_id: string });
type PoolUpdate = Partial<Omit<PoolFields, 'protocol'>>;

const MemberPage = z.object({ members: list(Member), members_links: list(Link).optional() });
const MEMBERS = '/lbaas/pools/{id}/members';

/** https://docs.openstack.org/api-ref/load-balancer/v2/#pools */
export class Pools extends OctaviaCollection<Pool, PoolCreate, PoolUpdate> {
  constructor(api: ServiceApi) {
    super(api, { plural: 'pools', singular: 'pool' }, Pool);
  }

  /** `GET /lbaas/pools/{id}/members`. */
  members(id: string, options: CallOptions = {}): AsyncGenerator<Member, void> {
    return pages(this.api, MEMBERS, {
      ...options,
      params: { id },
      schema: MemberPage,
      page: (wire) => ({
        items: wire.members,
        next: wire.members_links?.find((link) => link.rel === 'next')?.href,
      }),
    });
  }

  /** `PUT /lbaas/pools/{id}/members`: replaces all members, which are identified by address and port. */
  async replaceMembers(id: string, members: readonly MemberCreate[], options: CallOptions = {}): Promise<void> {
    await this.api.send('PUT', MEMBERS, { ...options, params: { id }, body: { members }, idempotent: true });
  }
}
