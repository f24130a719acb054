import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { hasLabels, pythonDict } from './list.ts';
import { readLabels } from './metadata.ts';
import { badRequest, MALFORMED, notFound, requireReader, requireWriter } from './problem.ts';
import type { AccessRule } from './records.ts';
import { shareRoute, shareTime } from './route.ts';
import { seenShare } from './share-lookup.ts';
import { accessRulesStatus } from './share-view.ts';

/** A rule with the fields that the microversion has. */
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
    state: microversion < 28 ? oldState(world, rule, microversion) : rule.state,
    ...(microversion >= 21 && { access_key: null }),
    ...(microversion >= 33 && { created_at: shareTime(createdMs), updated_at: null }),
    ...(microversion >= 45 && { metadata }),
  };
}

/** Until 2.27, rules had no state. */
function oldState(world: World, { shareId, state }: AccessRule, microversion: number): string {
  const share = world.tables.shares.get(shareId);
  const status = share === undefined ? state : accessRulesStatus(world, share, microversion);
  return status === 'out_of_sync' ? 'new' : status;
}

const SINCE = { since: 45 };

export function accessRuleRoutes(world: World): Route[] {
  const template = '/share-access-rules/{id}';
  const store = (rule: AccessRule, metadata: AccessRule['metadata']): void => {
    world.tables.accessRules.put({ ...rule, metadata });
  };
  return [
    shareRoute('GET', '/share-access-rules', (request) => list(world, request), SINCE),
    shareRoute(
      'GET',
      template,
      (request) => ok({ access: viewRule(world, request, find(world, request), { withShare: true }) }),
      SINCE,
    ),
    shareRoute(
      'PUT',
      `${template}/metadata`,
      (request) => {
        const rule = find(world, request);
        requireWriter(request.access);
        const metadata = readLabels(request.body, MALFORMED);
        store(rule, { ...rule.metadata, ...metadata });
        return ok({ metadata });
      },
      SINCE,
    ),
    shareRoute(
      'DELETE',
      `${template}/metadata/{key}`,
      (request) => {
        const rule = find(world, request);
        requireWriter(request.access);
        const key = request.params['key'] ?? '';
        if (!Object.hasOwn(rule.metadata, key)) throw notFound('Share access rule metadata does not exist.');
        const { [key]: _gone, ...rest } = rule.metadata;
        store(rule, rest);
        return { status: 200 };
      },
      SINCE,
    ),
  ];
}

function find(world: World, { access, params }: ApiRequest): AccessRule {
  const id = params['id'] ?? '';
  const rule = world.tables.accessRules.get(id);
  if (rule === undefined || seenShare(world, access, rule.shareId) === undefined) {
    throw notFound(`Share access rule ${id} not found.`);
  }
  requireReader(access);
  return rule;
}

function list(world: World, request: ApiRequest): ApiResponse {
  const { access, query } = request;
  const shareId = query.get('share_id');
  if (shareId === null) throw badRequest("The field 'share_id' has to be specified.");
  const share = seenShare(world, access, shareId);
  if (share === undefined) throw badRequest(`Share ${shareId} not found.`);
  requireReader(access);
  const metadata = query.get('metadata');
  const labels = metadata === null ? {} : pythonDict(metadata);
  const rules = world.indexes.accessRulesByShare.of(share.id).filter((rule) => hasLabels(rule.metadata, labels));
  return ok({ access_list: rules.toReversed().map((rule) => viewRule(world, request, rule)) });
}
