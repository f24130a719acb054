import type { FlavorSpec } from '../config.ts';
import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { findFlavor } from './find-flavor.ts';
import { badRequest, notFound } from './problem.ts';
import { readLimit } from './server-list.ts';
import { linksTo } from './server-view.ts';

export function flavorRoutes(world: World): Route[] {
  const find = ({ params }: ApiRequest): FlavorSpec => {
    const id = params['id'] ?? '';
    const flavor = findFlavor(world, id);
    if (flavor === undefined) throw notFound(`Flavor ${id} could not be found.`);
    return flavor;
  };
  return [
    { method: 'GET', template: '/v2.1/flavors', handle: (request) => list(world, request, false) },
    { method: 'GET', template: '/v2.1/flavors/detail', handle: (request) => list(world, request, true) },
    {
      method: 'GET',
      template: '/v2.1/flavors/{id}',
      handle: (request) => ok({ flavor: detail(request, find(request)) }),
    },
    {
      method: 'GET',
      template: '/v2.1/flavors/{id}/os-extra_specs',
      handle: (request) => ok({ extra_specs: find(request).extraSpecs }),
    },
    {
      method: 'GET',
      template: '/v2.1/flavors/{id}/os-extra_specs/{key}',
      handle: (request) => {
        const key = request.params['key'] ?? '';
        const flavor = find(request);
        const value = flavor.extraSpecs[key];
        if (value === undefined) throw notFound(`Flavor ${flavor.id} has no extra specs with key ${key}.`);
        return ok({ [key]: value });
      },
    },
  ];
}

function list(world: World, request: ApiRequest, isDetail: boolean): ApiResponse {
  const { query } = request;
  const [minRam, minDisk] = [Number(query.get('minRam') ?? 0), Number(query.get('minDisk') ?? 0)];
  if (!Number.isInteger(minRam)) throw badRequest(`Invalid minRam filter [${query.get('minRam')}]`);
  if (!Number.isInteger(minDisk)) throw badRequest(`Invalid minDisk filter [${query.get('minDisk')}]`);
  const found = world.config.flavors.filter((flavor) => flavor.ramMiB >= minRam && flavor.diskGiB >= minDisk);
  const limit = readLimit(query.get('limit'));
  const marker = query.get('marker');
  const at = marker === null ? -1 : found.findIndex((flavor) => flavor.id === marker);
  if (marker !== null && at === -1) throw badRequest(`marker [${marker}] not found`);
  const page = found.slice(at + 1, at + 1 + limit);
  const views = page.map((flavor) => (isDetail ? detail(request, flavor) : summaryOf(request, flavor)));
  // As in Nova, a full page links to another page, which may be empty.
  if (page.length < limit) return ok({ flavors: views });
  const parameters = new URLSearchParams(query);
  parameters.set('marker', page.at(-1)?.id ?? '');
  const href = `${request.origin}${request.path}?${parameters.toString()}`;
  return ok({ flavors: views, flavors_links: [{ rel: 'next', href }] });
}

function summaryOf(request: ApiRequest, { id, name }: FlavorSpec): object {
  return {
    id,
    name,
    ...(request.microversion >= 55 ? { description: null } : {}),
    links: linksTo(request, `flavors/${id}`),
  };
}

function detail(request: ApiRequest, flavor: FlavorSpec): object {
  return {
    ...summaryOf(request, flavor),
    vcpus: flavor.vcpus,
    ram: flavor.ramMiB,
    disk: flavor.diskGiB,
    swap: request.microversion >= 75 ? 0 : '',
    rxtx_factor: 1,
    'OS-FLV-EXT-DATA:ephemeral': 0,
    'OS-FLV-DISABLED:disabled': false,
    'os-flavor-access:is_public': true,
    ...(request.microversion >= 61 ? { extra_specs: flavor.extraSpecs } : {}),
  };
}
