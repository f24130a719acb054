import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { includesMetadata, pythonDict } from './list.ts';
import { readMetadata } from './metadata.ts';
import { badRequest, MALFORMED_BODY, notFound, requireReaderRole, requireWriterRole } from './problem.ts';
import type { AccessRule } from './records.ts';
import { shareRoute, shareTime } from './route.ts';
import { visibleShare } from './share-lookup.ts';
import { accessRulesStatus } from './share-view.ts';

/** The view of a rule, with the fields of the microversion. */
export function viewRule(
  world: World,
  { microversion }: ApiRequest,
  rule: AccessRule,
  { withShare }: { readonly withShare?: true } = {},
): object {
  const { id, shareId, type, to, level, createdMs, metadata } = rule;
  return {
    id,
    ...(withShare && { share_id: shareId }),
    access_level: level,
    access_to: to,
    access_type: type,
    state: microversion < 28 ? legacyState(world, rule, microversion) : rule.state,
    ...(microversion >= 21 && { access_key: null }),
    ...(microversion >= 33 && { created_at: shareTime(createdMs), updated_at: null }),
    ...(microversion >= 45 && { metadata }),
  };
}

/** The state of a rule up to version 2.27: rules had no state of their own, so the share's combined state is used. */
function legacyState(world: World, { shareId, state }: AccessRule, microversion: number): string {
  const share = world.tables.shares.get(shareId);
  const status = share === undefined ? state : accessRulesStatus(world, share, microversion);
  return status === 'out_of_sync' ? 'new' : status;
}

const VERSION_RANGE = { since: 45 };

export function accessRuleRoutes(world: World): Route[] {
  const template = '/share-access-rules/{id}';
  const store = (rule: AccessRule, metadata: AccessRule['metadata']): void => {
    world.tables.accessRules.put({ ...rule, metadata });
  };
  return [
    shareRoute('GET', '/share-access-rules', (request) => list(world, request), VERSION_RANGE),
    shareRoute(
      'GET',
      template,
      (request) => ok({ access: viewRule(world, request, find(world, request), { withShare: true }) }),
      VERSION_RANGE,
    ),
    shareRoute(
      'PUT',
      `${template}/metadata`,
      (request) => {
        const rule = find(world, request);
        requireWriterRole(request.access);
        const metadata = readMetadata(request.body, MALFORMED_BODY);
        store(rule, { ...rule.metadata, ...metadata });
        return ok({ metadata });
      },
      VERSION_RANGE,
    ),
    shareRoute(
      'DELETE',
      `${template}/metadata/{key}`,
      (request) => {
        const rule = find(world, request);
        requireWriterRole(request.access);
        const key = request.params['key'] ?? '';
        if (!Object.hasOwn(rule.metadata, key)) throw notFound('Share access rule metadata does not exist.');
        const { [key]: _removed, ...rest } = rule.metadata;
        store(rule, rest);
        return { status: 200 };
      },
      VERSION_RANGE,
    ),
  ];
}

function find(world: World, { access, params }: ApiRequest): AccessRule {
  const id = params['id'] ?? '';
  const rule = world.tables.accessRules.get(id);
  if (rule === undefined || visibleShare(world, access, rule.shareId) === undefined) {
    throw notFound(`Share access rule ${id} not found.`);
  }
  requireReaderRole(access);
  return rule;
}

function list(world: World, request: ApiRequest): ApiResponse {
  const { access, query } = request;
  const shareId = query.get('share_id');
  if (shareId === null) throw badRequest("The field 'share_id' has to be specified.");
  const share = visibleShare(world, access, shareId);
  if (share === undefined) throw badRequest(`Share ${shareId} not found.`);
  requireReaderRole(access);
  const metadata = query.get('metadata');
  const labels = metadata === null ? {} : pythonDict(metadata);
  const rules = world.indexes.accessRulesByShare.of(share.id).filter((rule) => includesMetadata(rule.metadata, labels));
  return ok({ access_list: rules.toReversed().map((rule) => viewRule(world, request, rule)) });
}
