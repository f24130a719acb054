import { z } from 'zod';
import { type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireAdmin, requireRead } from './access.ts';
import { Flag, text, Uuid } from './fields.ts';
import { parse } from './parse.ts';
import { conflict, notFound } from './problem.ts';
import { ZONE_KEYS } from './profile-keys.ts';
import { profileRoutes } from './profiles.ts';
import { listResponse, pick, type View } from './query.ts';
import type { LoadBalancerZone } from './records.ts';
import { changed } from './stamp.ts';

const mutable = { description: text().nullish(), enabled: Flag.nullish() };
const CreateZone = z.strictObject({
  availability_zone: z.strictObject({ ...mutable, name: text(), availability_zone_profile_id: Uuid }),
});
const UpdateZone = z.strictObject({ availability_zone: z.strictObject(mutable) });

/** Availability zones of load balancers, which are identified by name, and their profiles. */
export function availabilityZoneRoutes(world: World): Route[] {
  const { loadBalancerZones: zones, loadBalancerZoneProfiles: profiles, loadBalancers } = world.tables;
  const one = '/availabilityzones/{name}';
  const find = (name = ''): LoadBalancerZone => {
    const zone = zones.get(name);
    if (zone === undefined) throw notFound('Availability Zone', name);
    return zone;
  };
  return [
    ...profileRoutes(world, {
      singular: 'availability_zone_profile',
      plural: 'availability_zone_profiles',
      links: 'availability_zone_profile_links',
      path: '/availabilityzoneprofiles',
      argument: 'availability_zone_profile_',
      field: 'availability_zone_data',
      noun: 'Availability Zone Profile',
      subject: 'availability zone',
      keys: ZONE_KEYS,
      table: profiles,
      isUsed: (id) => zones.find((zone) => zone.availability_zone_profile_id === id) !== undefined,
    }),
    {
      method: 'GET',
      template: '/availabilityzones',
      handle: (request) => {
        requireRead(request.access, request.access.projectId);
        const filters = new Set(['name', 'description', 'enabled', 'availability_zone_profile_id']);
        return ok(listResponse(request, 'availability_zones', [...zones.values()].map(viewOf), filters));
      },
    },
    {
      method: 'GET',
      template: one,
      handle: ({ access, params, query }) => {
        requireRead(access, access.projectId);
        return ok({ availability_zone: pick(viewOf(find(params['name'])), query) });
      },
    },
    { method: 'POST', template: '/availabilityzones', handle: (request) => create(world, request) },
    {
      method: 'PUT',
      template: one,
      handle: ({ access, body, params }) => {
        requireAdmin(access);
        const { availability_zone: input } = parse(UpdateZone, body, 'availability_zone_');
        const zone = changed(find(params['name']), {
          description: input.description === null ? '' : input.description,
          enabled: input.enabled === null ? false : input.enabled,
        });
        return ok({ availability_zone: viewOf(zones.put(zone)) });
      },
    },
    {
      method: 'DELETE',
      template: one,
      handle: ({ access, params }) => {
        requireAdmin(access);
        const { id: name } = find(params['name']);
        if (loadBalancers.find((row) => row.availability_zone === name) !== undefined)
          throw conflict(`Availability Zone ${name} is in use and cannot be modified.`);
        zones.delete(name);
        return noContent;
      },
    },
  ];
}

function viewOf({ id, ...fields }: LoadBalancerZone): View {
  return { name: id, ...fields };
}

function create(world: World, { access, body }: ApiRequest): ApiResponse {
  requireAdmin(access);
  const { availability_zone: input } = parse(CreateZone, body, 'availability_zone_');
  const { loadBalancerZones: zones, loadBalancerZoneProfiles: profiles } = world.tables;
  if (!profiles.has(input.availability_zone_profile_id))
    throw notFound('Availability Zone Profile', input.availability_zone_profile_id);
  if (zones.has(input.name)) throw conflict(`A availability zone of ${input.name} already exists.`);
  const zone = zones.put({
    id: input.name,
    description: input.description ?? '',
    enabled: input.enabled ?? true,
    availability_zone_profile_id: input.availability_zone_profile_id,
  });
  return created({ availability_zone: viewOf(zone) });
}
