import { type ActionRequiredBy, actionRequiredBy, type ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { LastOperation } from '@fairway/api/kinds/status';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Condition, KubeObject } from '@fairway/kube/object/meta';
import type { Problem } from '@fairway/tenancy/problem';
import type { ControllerDependencies } from './dependencies.ts';

/** An object that is being deleted and reports in its status what it is waiting for. */
export interface WaitingObject extends KubeObject {
  readonly status?: {
    readonly lastOperation?: LastOperation | undefined;
    readonly conditions?: readonly Condition[] | undefined;
  };
}

/** The remaining objects of one kind, such as `machine`. */
export interface WaitingObjects {
  readonly noun: string;
  readonly objects: readonly WaitingObject[];
}

/** Why an operation is delayed, and when this began. */
export type Wait = Pick<LastOperation, 'reason' | 'since'>;

interface Group extends Problem {
  readonly noun: string;
  readonly names: readonly string[];
  readonly since: string;
}

/** Number of names in a message; the rest are counted. */
const MAX_NAMES = 3;
const MAX_GROUPS = 3;

const ORDER: readonly ActionRequiredBy[] = ['user', 'operator', 'cloud'];

/**
 * Problems that block the deletion of objects and do not resolve automatically: the objects by name, the cause and its
 * time. Causes that a user can resolve come first. Objects waiting because of the same cause are combined. Undefined
 * while all of them are simply in progress. Pure.
 */
export function heldObjectsProblem(kinds: readonly WaitingObjects[]): Problem | undefined {
  const groups = new Map<string, Group>();
  for (const { noun, objects } of kinds) {
    for (const object of objects.toSorted(byName)) {
      const wait = deletionWaitOf(object);
      if (wait === undefined) continue;
      const { name = '' } = object.metadata;
      const key = `${noun} ${wait.reason} ${wait.message}`;
      const known = groups.get(key) ?? { noun, ...wait, names: [] };
      const since = known.since < wait.since ? known.since : wait.since;
      groups.set(key, { ...known, since, names: [...known.names, name] });
    }
  }
  const sorted = [...groups.values()].sort(compareGroups);
  const [first] = sorted;
  if (first === undefined) return undefined;
  const parts = sorted
    .slice(0, MAX_GROUPS)
    .map((group) => withSince(`${nounOf(group)} ${firstNames(group.names)}: ${group.message}`, group.since));
  const more = sorted.slice(MAX_GROUPS).reduce((sum, { names }) => sum + names.length, 0);
  return { reason: first.reason, message: [...parts, ...(more > 0 ? [`and ${more} more`] : [])].join('; ') };
}

/** The first few names, and the number of others. */
export function firstNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return more > 0 ? `${names.slice(0, MAX_NAMES).join(', ')} and ${more} more` : names.join(', ');
}

/** The condition's message about a wait; for Fairway's own work in progress, the time is omitted. */
export function waitMessage({ reason, description, since }: Wait & Pick<LastOperation, 'description'>): string {
  if (reason === undefined || since === undefined || isOwn(reason as ConditionReason)) return description;
  if (REASONS_WITH_SINCE.has(reason)) return description;
  return withSince(description, since);
}

/**
 * The conditions, with Ready extended by a wait that someone other than Fairway must end, and its time. A wait repeated
 * from another object has that object's time. Pure.
 */
export function datedConditions(conditions: readonly Condition[], { reason, since }: Wait): readonly Condition[] {
  const ready = findCondition(conditions, ConditionType.Ready);
  if (ready?.status !== 'False' || reason !== ready.reason || ready.message.includes(SINCE)) return conditions;
  const message = waitMessage({ reason, since, description: ready.message });
  return conditions.map((condition) => (condition === ready ? { ...ready, message } : condition));
}

/**
 * Records a Warning about a wait that someone other than Fairway must end, once for each cause; recorded before the
 * status is written, so that a crash does not lose it. `message` defaults to the wait's own.
 */
export function warnOfWait(
  events: Pick<ControllerDependencies['events'], 'warning'>,
  object: WaitingObject,
  { reason, message }: Problem,
): void {
  if (isOwn(reason)) return;
  const ready = findCondition(object.status?.conditions, ConditionType.Ready);
  if (ready?.reason === reason && ready.message.includes(message)) return;
  events.warning(object, reason, message);
}

/**
 * Like `warnOfWait`, for an object that should become Ready: once for each reason, because its message also counts
 * nodes.
 */
export function warnOfNewReason(
  events: Pick<ControllerDependencies['events'], 'warning'>,
  object: WaitingObject,
  conditions: readonly Condition[] | undefined,
): void {
  const ready = findCondition(conditions, ConditionType.Ready);
  const reason = ready?.reason as ConditionReason;
  if (ready?.status !== 'False' || isOwn(reason)) return;
  if (findCondition(object.status?.conditions, ConditionType.Ready)?.reason === reason) return;
  events.warning(object, reason, ready.message);
}

function deletionWaitOf({ status }: WaitingObject): (Problem & { readonly since: string }) | undefined {
  const { type, reason, description = '', since = '' } = status?.lastOperation ?? {};
  if (type !== 'Delete' || reason === undefined || isOwn(reason as ConditionReason)) return undefined;
  return {
    reason: reason as ConditionReason,
    message: description,
    since: REASONS_WITH_SINCE.has(reason) ? '' : since,
  };
}

/** Reasons whose messages already contain the time. */
const REASONS_WITH_SINCE: ReadonlySet<string> = new Set<ConditionReason>(['DrainHeld']);

function isOwn(reason: ConditionReason): boolean {
  return actionRequiredBy(reason) === 'fairway';
}

const SINCE = '; since ';

function withSince(message: string, since: string): string {
  return since === '' ? message : `${message}${SINCE}${since}`;
}

function nounOf({ noun, names }: Group): string {
  return names.length === 1 ? noun : `${noun}s`;
}

function compareGroups(a: Group, b: Group): number {
  const rank = ({ reason }: Group) => ORDER.indexOf(actionRequiredBy(reason));
  return rank(a) - rank(b);
}

function byName({ metadata: a }: WaitingObject, { metadata: b }: WaitingObject): number {
  return (a.name ?? '').localeCompare(b.name ?? '');
}
