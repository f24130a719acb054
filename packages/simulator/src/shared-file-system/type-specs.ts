import { type ApiRequest, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { badRequest, forbidden, MALFORMED_BODY, notFound, requireAdmin } from './problem.ts';
import type { ShareType } from './records.ts';
import { shareRoute } from './route.ts';
import { ACCEPTED_RESPONSE } from './share-routes.ts';
import { CAPABILITIES } from './share-types.ts';

const REQUIRED_SPEC = 'driver_handles_share_servers';

/**
 * Extra specs in a body. Zed's error does not name the invalid spec. A new type must set driver_handles_share_servers.
 */
export function checkSpecs(value: unknown, { isNew }: { readonly isNew: boolean }): Record<string, string> {
  const specs = value ?? {};
  if (typeof specs !== 'object' || Array.isArray(specs)) throw badRequest(MALFORMED_BODY);
  const entries = Object.entries(specs);
  if (entries.some(([key, each]) => key === '' || typeof each !== 'string' || each === ''))
    throw badRequest(MALFORMED_BODY);
  const texts = Object.fromEntries(entries) as Record<string, string>;
  if (isNew && !isFlag(texts[REQUIRED_SPEC])) throw badRequest('Invalid extra_spec: %(reason)s.');
  const isInvalid = [REQUIRED_SPEC, ...CAPABILITIES].some((name) => name in texts && !isFlag(texts[name]));
  if (isInvalid) throw badRequest('Invalid share type: Invalid extra_spec: %(reason)s.');
  return texts;
}

function isFlag(text: string | undefined): boolean {
  return /^(<is>\s*)?(1|0|t|f|true|false|on|off|y|n|yes|no)$/i.test(text ?? '');
}

export function extraSpecRoutes(world: World): Route[] {
  const template = '/types/{id}/extra_specs';
  const find = ({ access, params }: ApiRequest): ShareType => {
    requireAdmin(access);
    const type = world.tables.shareTypes.get(params['id'] ?? '');
    if (type === undefined) throw notFound();
    return type;
  };
  const store = (type: ShareType, extraSpecs: ShareType['extraSpecs']): void => {
    world.tables.shareTypes.put({ ...type, extraSpecs });
  };
  return [
    shareRoute('GET', template, (request) => ok({ extra_specs: find(request).extraSpecs })),
    shareRoute('POST', template, (request) => {
      const type = find(request);
      const args = (request.body as Readonly<Record<string, unknown>> | null | undefined)?.['extra_specs'];
      if (args === undefined) throw badRequest(MALFORMED_BODY);
      const extra_specs = checkSpecs(args, { isNew: false });
      store(type, { ...type.extraSpecs, ...extra_specs });
      return ok({ extra_specs });
    }),
    shareRoute('GET', `${template}/{key}`, (request) => {
      const { extraSpecs } = find(request);
      const key = request.params['key'] ?? '';
      if (!Object.hasOwn(extraSpecs, key)) throw notFound();
      return ok({ [key]: extraSpecs[key] });
    }),
    shareRoute('PUT', `${template}/{key}`, (request) => {
      const type = find(request);
      const key = request.params['key'] ?? '';
      const body = request.body as Readonly<Record<string, unknown>> | null | undefined;
      if (body == null || !Object.hasOwn(body, key)) throw badRequest('Request body and URI mismatch');
      if (Object.keys(body).length > 1) throw badRequest('Request body contains too many items');
      const extraSpecs = checkSpecs(body, { isNew: false });
      store(type, { ...type.extraSpecs, ...extraSpecs });
      return ok(extraSpecs);
    }),
    shareRoute('DELETE', `${template}/{key}`, (request) => {
      const type = find(request);
      const key = request.params['key'] ?? '';
      if (key === REQUIRED_SPEC) throw forbidden(`Extra spec '${key}' can't be deleted.`);
      if (!Object.hasOwn(type.extraSpecs, key)) {
        throw notFound(`Share Type ${type.id} has no extra specs with key ${key}.`);
      }
      const { [key]: _removed, ...rest } = type.extraSpecs;
      store(type, rest);
      return ACCEPTED_RESPONSE;
    }),
  ];
}
