import type { ActionRequiredBy } from '@fairway/api/conditions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Condition } from '@fairway/kube/object/meta';
import { actionRequiredBy } from '../../cluster/action-required-by.ts';

/** An object with an unmet condition or an operation in progress. */
export interface StuckObject {
  readonly kind: 'Cluster' | 'NodePool' | 'Machine';
  /** The object's name, unique among all kinds. */
  readonly metadata: { readonly name: string };
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The name of the object's cluster. */
  readonly cluster: string;
  readonly sinceMs: number;
  /** The unmet condition; empty if an operation is taking long. */
  readonly condition: string;
  readonly reason: string;
  readonly message: string;
  readonly turn: ActionRequiredBy;
  readonly operation: { readonly type: string; readonly progress: number } | undefined;
  readonly isPaused: boolean;
}

/** Conditions that are only advice, or that a user requested: nothing is waiting for them. */
const NON_PROBLEM_TYPES: ReadonlySet<string> = new Set([
  'Paused',
  'VersionSupported',
  'FieldsApplied',
  'KeptForInspection',
  'ControlPlaneHighlyAvailable',
  'Autoscaled',
]);
const REQUESTED_REASONS: ReadonlySet<string> = new Set(['UpdateAvailable', 'Hibernated', 'UpgradePaused']);
const PAUSED = 'fairway.dev/paused';

type Kind = StuckObject['kind'];
const known = new WeakMap<object, StuckObject | null>();

/** The problem of an object; undefined if there is none. Each state of an object is evaluated only once. */
export function stuckObjectOf(kind: Kind, object: Cluster | NodePool | Machine): StuckObject | undefined {
  const before = known.get(object);
  if (before !== undefined) return before ?? undefined;
  const found = findProblem(kind, object);
  known.set(object, found ?? null);
  return found;
}

function findProblem(kind: Kind, { metadata, spec, status }: Cluster | NodePool | Machine): StuckObject | undefined {
  const condition = worstCondition(status?.conditions ?? []);
  const operation = status?.lastOperation?.state === 'Succeeded' ? undefined : status?.lastOperation;
  if (condition === undefined && operation === undefined) return undefined;
  const createdMs = timeMs(metadata.creationTimestamp) ?? 0;
  const startTimes = [condition?.lastTransitionTime, operation?.startTime ?? operation?.lastUpdateTime].map(timeMs);
  // Until Fairway has processed the object, its condition has no timestamp.
  const sinceMs = Math.max(createdMs, Math.min(...startTimes.filter((ms) => ms !== undefined)));
  const reason = condition?.reason ?? operation?.reason ?? '';
  return {
    kind,
    metadata: { name: `${kind}/${metadata.namespace}/${metadata.name}` },
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    cluster: 'clusterName' in spec ? spec.clusterName : (metadata.name ?? ''),
    sinceMs,
    condition: condition?.type ?? '',
    reason,
    message: condition?.message ?? operation?.description ?? '',
    turn: actionRequiredBy(reason),
    operation: operation && { type: operation.type, progress: operation.progress },
    isPaused: metadata.annotations?.[PAUSED] !== undefined,
  };
}

/** Ready, because its message names the cause; otherwise the condition that has been unmet longest. */
function worstCondition(conditions: readonly Condition[]): Condition | undefined {
  const negativeConditions = conditions.filter(
    ({ type, status, reason }) =>
      !NON_PROBLEM_TYPES.has(type) &&
      !REQUESTED_REASONS.has(reason) &&
      !isNegativePolarity(type) &&
      (status === 'False' || (type === 'Ready' && status === 'Unknown')),
  );
  negativeConditions.sort((a, b) => (timeMs(a.lastTransitionTime) ?? 0) - (timeMs(b.lastTransitionTime) ?? 0));
  return negativeConditions.find(({ type }) => type === 'Ready') ?? negativeConditions[0];
}

/** Such as CredentialExpiresSoon. */
function isNegativePolarity(type: string): boolean {
  return type.endsWith('ExpiresSoon');
}

function timeMs(time: string | undefined): number | undefined {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
