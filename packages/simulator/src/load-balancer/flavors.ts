import { z } from 'zod';
import { ApiError, type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireAdmin, requireRead } from './access.ts';
import { Flag, text, Uuid } from './fields.ts';
import { parse } from './parse.ts';
import { conflict, notFound } from './problem.ts';
import { FLAVOR_KEYS } from './profile-keys.ts';
import { profileRoutes } from './profiles.ts';
import { listResponse, pick, type View } from './query.ts';
import type { LoadBalancerFlavor } from './records.ts';
import { changed } from './stamp.ts';

const mutable = { description: text().nullish(), enabled: Flag.nullish() };
const CreateFlavor = z.strictObject({
  flavor: z.strictObject({ ...mutable, name: text(), flavor_profile_id: Uuid }),
});
const UpdateFlavor = z.strictObject({ flavor: z.strictObject({ ...mutable, name: text().nullish() }) });

/** Flavors of load balancers, and their profiles. */
export function flavorRoutes(world: World): Route[] {
  const { loadBalancerFlavors: flavors, loadBalancerFlavorProfiles: profiles, loadBalancers } = world.tables;
  const one = '/flavors/{id}';
  const find = (id = ''): LoadBalancerFlavor => {
    const flavor = flavors.get(id);
    if (flavor === undefined) throw notFound('Flavor', id);
    return flavor;
  };
  return [
    ...profileRoutes(world, {
      singular: 'flavorprofile',
      plural: 'flavorprofiles',
      links: 'flavorprofile_links',
      path: '/flavorprofiles',
      argument: 'flavor_profile_',
      field: 'flavor_data',
      noun: 'Flavor profile',
      subject: 'flavor',
      keys: FLAVOR_KEYS,
      table: profiles,
      isUsed: (id) => flavors.find((flavor) => flavor.flavor_profile_id === id) !== undefined,
    }),
    {
      method: 'GET',
      template: '/flavors',
      handle: (request) => {
        requireRead(request.access, request.access.projectId);
        const filters = new Set(['id', 'name', 'description', 'enabled', 'flavor_profile_id']);
        return ok(listResponse(request, 'flavors', [...flavors.values()].map(viewOf), filters));
      },
    },
    {
      method: 'GET',
      template: one,
      handle: ({ access, params, query }) => {
        requireRead(access, access.projectId);
        return ok({ flavor: pick(viewOf(find(params['id'])), query) });
      },
    },
    { method: 'POST', template: '/flavors', handle: (request) => create(world, request) },
    {
      method: 'PUT',
      template: one,
      handle: ({ access, body, params }) => {
        requireAdmin(access);
        const { flavor: fields } = parse(UpdateFlavor, body, 'flavor_');
        const flavor = changed(find(params['id']), {
          name: fields.name ?? undefined,
          description: fields.description === null ? '' : fields.description,
          enabled: fields.enabled === null ? false : fields.enabled,
        });
        return ok({ flavor: viewOf(flavors.put(flavor)) });
      },
    },
    {
      method: 'DELETE',
      template: one,
      handle: ({ access, params }) => {
        requireAdmin(access);
        const { id } = find(params['id']);
        if (loadBalancers.find((row) => row.flavor_id === id) !== undefined)
          throw conflict(`Flavor ${id} is in use and cannot be modified.`);
        flavors.delete(id);
        return noContent;
      },
    },
  ];
}

function viewOf(flavor: LoadBalancerFlavor): View {
  return { ...flavor };
}

function create(world: World, { access, body }: ApiRequest): ApiResponse {
  requireAdmin(access);
  const { flavor: fields } = parse(CreateFlavor, body, 'flavor_');
  const { loadBalancerFlavors: flavors, loadBalancerFlavorProfiles: profiles } = world.tables;
  if (!profiles.has(fields.flavor_profile_id)) throw notFound('Flavor profile', fields.flavor_profile_id);
  if (flavors.find((flavor) => flavor.name === fields.name) !== undefined)
    throw new ApiError(409, `A flavor of ${fields.name} already exists.`);
  const flavor = flavors.put({
    id: world.ids.uuid(),
    name: fields.name,
    description: fields.description ?? '',
    enabled: fields.enabled ?? true,
    flavor_profile_id: fields.flavor_profile_id,
  });
  return created({ flavor: viewOf(flavor) });
}
