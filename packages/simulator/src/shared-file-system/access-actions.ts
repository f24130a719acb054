import { type ApiRequest, type ApiResponse, ok } from '../http/api.ts';
import type { World } from '../world.ts';
import { checkAccess } from './access-form.ts';
import { viewRule } from './access-routes.ts';
import { plain } from './list.ts';
import { readMetadata } from './metadata.ts';
import { badRequest, notFound, unexpectedError } from './problem.ts';
import type { Share } from './records.ts';
import type { ShareLifecycle } from './share-lifecycle.ts';
import { findOwnShare, findShare } from './share-lookup.ts';
import { ACCEPTED_RESPONSE } from './share-routes.ts';
import { accessRulesStatus } from './share-view.ts';

type ActionArguments = Readonly<Record<string, unknown>>;

const NOT_FOUND_MESSAGE = 'NotFound: Resource could not be found.';

/** Since this microversion, rules can be added while others are in error. */
const ON_ERROR_MICROVERSION = 28;
const METADATA_MICROVERSION = 45;

export function allowAccess(
  world: World,
  lifecycle: ShareLifecycle,
  request: ApiRequest,
  args: ActionArguments,
): ApiResponse {
  const { microversion } = request;
  const share = findOwnShare(world, request, NOT_FOUND_MESSAGE);
  if (microversion < ON_ERROR_MICROVERSION && accessRulesStatus(world, share, microversion) === 'error') {
    throw badRequest(
      'Access rules cannot be added while the share or any of its replicas or migration copies has its access_rules_status set to error. Deny any rules in error state and try again.',
    );
  }
  const { access_type: type, access_to: to, access_level: level = 'rw' } = args;
  if (typeof type !== 'string' || typeof to !== 'string') throw unexpectedError();
  checkAccess(type, to, microversion);
  const metadata = microversion >= METADATA_MICROVERSION && args['metadata'] != null ? readMetadata(args) : {};
  requireUsable(share);
  if (level !== null && level !== 'rw' && level !== 'ro') {
    throw badRequest(`Invalid access rule: Invalid share access level: ${plain(level)}.`);
  }
  const isKnown = world.indexes.accessRulesByShare.of(share.id).some((rule) => rule.type === type && rule.to === to);
  if (isKnown) throw badRequest(`Share access ${type}:${to} exists.`);
  const rule = lifecycle.beginRule(
    {
      id: world.ids.uuid(),
      shareId: share.id,
      type,
      to,
      level: level ?? 'rw',
      state: 'queued_to_apply',
      createdMs: world.clock.now(),
      metadata,
      pending: null,
    },
    'take',
  );
  return ok({ access: viewRule(world, request, rule, { withShare: true }) });
}

/** Requires the share to be on a back end that can apply rules. */
function requireUsable({ isPlaced, status }: Share): void {
  if (isPlaced && status !== 'error' && status !== 'deleting') return;
  throw badRequest(
    'New access rules cannot be applied while the share or any of its replicas or migration copies lacks a valid host or is in an invalid state.',
  );
}

export function denyAccess(
  world: World,
  lifecycle: ShareLifecycle,
  request: ApiRequest,
  args: ActionArguments,
): ApiResponse {
  const { access_id: id } = args;
  if (typeof id !== 'string') throw unexpectedError();
  const share = findOwnShare(world, request, NOT_FOUND_MESSAGE);
  const rule = world.tables.accessRules.get(id);
  if (rule?.shareId !== share.id) throw notFound('Resource could not be found.');
  if (rule.pending?.step !== 'deny') lifecycle.beginRule({ ...rule, state: 'queued_to_deny' }, 'deny');
  return ACCEPTED_RESPONSE;
}

export function listAccess(world: World, request: ApiRequest): ApiResponse {
  const share = findShare(world, request, NOT_FOUND_MESSAGE);
  const rules = world.indexes.accessRulesByShare.of(share.id);
  return ok({ access_list: rules.toReversed().map((rule) => viewRule(world, request, rule)) });
}
