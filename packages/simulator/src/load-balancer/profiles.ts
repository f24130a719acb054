import { z } from 'zod';
import { ApiError, type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import type { Table } from '../state/table.ts';
import type { World } from '../world.ts';
import { requireAdmin } from './access.ts';
import { text } from './fields.ts';
import { requireProvider } from './flavor-choice.ts';
import { parse } from './parse.ts';
import { conflict, invalidOption, notFound, notImplemented, unsupportedOption } from './problem.ts';
import { parseObject } from './profile-data.ts';
import { listResponse, pick, type View } from './query.ts';
import type { Profile, ProviderName } from './records.ts';

/** Profiles of flavors, or of availability zones: the provider's settings behind an operator-defined name. */
export interface ProfileKind {
  /** Name in the body: `flavorprofile`. */
  readonly singular: string;
  /** Name in the body of a list, also used for its links: `flavorprofiles`. */
  readonly plural: string;
  readonly links: string;
  readonly path: string;
  /** The name of the parameter in Octavia's code. */
  readonly argument: string;
  /** Field that contains the JSON text: `flavor_data`. */
  readonly field: string;
  /** Name in messages: `Flavor profile`. */
  readonly noun: string;
  /** Subject in the provider's messages: `flavor`. */
  readonly subject: string;
  /** The keys that amphorae support, with their descriptions. */
  readonly keys: Readonly<Record<string, string>>;
  readonly table: Table<Profile>;
  readonly isUsed: (id: string) => boolean;
}

export function profileRoutes(world: World, kind: ProfileKind): Route[] {
  const { path, plural, singular, table, links } = kind;
  const one = `${path}/{id}`;
  const find = ({ access, params }: ApiRequest): Profile => {
    requireAdmin(access);
    const profile = table.get(params['id'] ?? '');
    if (profile === undefined) throw notFound(kind.noun, params['id'] ?? '');
    return profile;
  };
  return [
    {
      method: 'GET',
      template: path,
      handle: (request) => {
        requireAdmin(request.access);
        const views = [...table.values()].map((profile) => viewOf(kind, profile));
        const response = listResponse(request, plural, views, new Set(['id', 'name', 'provider_name', kind.field]));
        return ok({ [plural]: response[plural], [links]: response[`${plural}_links`] });
      },
    },
    {
      method: 'GET',
      template: one,
      handle: (request) => ok({ [singular]: pick(viewOf(kind, find(request)), request.query) }),
    },
    { method: 'POST', template: path, handle: (request) => create(world, kind, request) },
    { method: 'PUT', template: one, handle: (request) => update(world, kind, request, find(request)) },
    {
      method: 'DELETE',
      template: one,
      handle: (request) => {
        const { id } = find(request);
        refuseTypeInUse(kind, id);
        table.delete(id);
        return noContent;
      },
    },
  ];
}

function viewOf({ field }: ProfileKind, { data, ...fields }: Profile): View {
  return { ...fields, [field]: data };
}

function refuseTypeInUse({ noun, isUsed }: ProfileKind, id: string): void {
  if (isUsed(id)) throw conflict(`${noun} ${id} is in use and cannot be modified.`);
}

const MAX_DATA_LENGTH = 4096;

function create(world: World, kind: ProfileKind, { access, body }: ApiRequest): ApiResponse {
  requireAdmin(access);
  const fields = z.strictObject({ name: text(), provider_name: text(), [kind.field]: text(MAX_DATA_LENGTH) });
  const input = parse(z.strictObject({ [kind.singular]: fields }), body, kind.argument)[kind.singular];
  if (input === undefined) throw new ApiError(400, `Missing argument: "${kind.argument}"`);
  const { name, provider_name } = input as { name: string; provider_name: string };
  const data = input[kind.field] ?? '';
  const provider = checkData(world, kind, provider_name, data);
  const profile = kind.table.put({ id: world.ids.uuid(), name, provider_name: provider, data });
  return created({ [kind.singular]: viewOf(kind, profile) });
}

function update(world: World, kind: ProfileKind, { body }: ApiRequest, before: Profile): ApiResponse {
  const fields = z.strictObject({
    name: text().optional(),
    provider_name: text().optional(),
    [kind.field]: text(MAX_DATA_LENGTH).optional(),
  });
  const input = parse(z.strictObject({ [kind.singular]: fields }), body, kind.argument)[kind.singular];
  const data = input?.[kind.field];
  const providerName = input?.['provider_name'];
  if (data !== undefined || providerName !== undefined) refuseTypeInUse(kind, before.id);
  const provider = checkData(world, kind, providerName ?? before.provider_name, data ?? before.data);
  const profile = kind.table.put({
    ...before,
    name: input?.['name'] ?? before.name,
    provider_name: provider,
    data: data ?? before.data,
  });
  return ok({ [kind.singular]: viewOf(kind, profile) });
}

/** Checks that the data is JSON supported by the provider. */
function checkData(world: World, kind: ProfileKind, providerName: string, data: string): ProviderName {
  const parsed = parseObject(data);
  if (parsed === undefined) throw invalidOption(data, kind.field);
  const provider = requireProvider(world, providerName);
  if (provider === 'ovn') throw notImplemented(provider, `This provider does not support validating ${kind.subject}s.`);
  const unknown = Object.keys(parsed).filter((key) => !(key in kind.keys));
  if (unknown.length === 0) return provider;
  const names = unknown.map((key) => `'${key}'`).join(', ');
  const verb = unknown.length === 1 ? 'was' : 'were';
  throw unsupportedOption(provider, `Additional properties are not allowed (${names} ${verb} unexpected)`);
}
