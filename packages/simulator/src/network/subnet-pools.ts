import { ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { missing } from './problem.ts';
import { listResponse } from './query.ts';

/** The configured subnet pools, which every project can use. */
export function subnetPoolRoutes({ config: { subnetPools = [] } }: World): Route[] {
  const views = subnetPools.map(({ id, name, prefixes, ipVersion }) => ({
    id,
    name,
    prefixes,
    ip_version: ipVersion,
    shared: true,
    is_default: false,
  }));
  const filters = new Set(['id', 'name', 'ip_version', 'shared']);
  const notFound = (id: string) => missing('SubnetPoolNotFound', `Subnet pool ${id} could not be found.`);
  return [
    {
      method: 'GET',
      template: '/v2.0/subnetpools',
      handle: (request) => ok(listResponse(request, 'subnetpools', views, filters, notFound)),
    },
  ];
}
