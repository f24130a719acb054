import type { ActionRequiredBy } from '@fairway/api/conditions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Condition } from '@fairway/kube/object/meta';
import { actionRequiredBy } from '../../cluster/action-required-by.ts';

/** An object that is not as it should be, or that something is still being done to. */
export interface Trouble {
  readonly kind: 'Cluster' | 'NodePool' | 'Machine';
  /** Its name is unique among all kinds. */
  readonly metadata: { readonly name: string };
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Its cluster's name. */
  readonly cluster: string;
  readonly sinceMs: number;
  /** The condition that is not met; empty while only an operation takes long. */
  readonly condition: string;
  readonly reason: string;
  readonly message: string;
  readonly turn: ActionRequiredBy;
  readonly operation: { readonly type: string; readonly progress: number } | undefined;
  readonly isPaused: boolean;
}

/** Advice, and what a user has asked for: nothing waits for it. */
const NO_TROUBLE: ReadonlySet<string> = new Set([
  'Paused',
  'VersionSupported',
  'FieldsApplied',
  'KeptForInspection',
  'ControlPlaneHighlyAvailable',
  'Autoscaled',
]);
const CHOSEN: ReadonlySet<string> = new Set(['UpdateAvailable', 'Hibernated', 'UpgradePaused']);
const PAUSED = 'fairway.dev/paused';

type Kind = Trouble['kind'];
const known = new WeakMap<object, Trouble | null>();

/** What is the matter with an object; undefined: nothing. Each state of an object is looked at once. */
export function troubleOf(kind: Kind, object: Cluster | NodePool | Machine): Trouble | undefined {
  const before = known.get(object);
  if (before !== undefined) return before ?? undefined;
  const found = findTrouble(kind, object);
  known.set(object, found ?? null);
  return found;
}

function findTrouble(kind: Kind, { metadata, spec, status }: Cluster | NodePool | Machine): Trouble | undefined {
  const condition = worstOf(status?.conditions ?? []);
  const operation = status?.lastOperation?.state === 'Succeeded' ? undefined : status?.lastOperation;
  if (condition === undefined && operation === undefined) return undefined;
  const createdMs = timeMs(metadata.creationTimestamp) ?? 0;
  const begun = [condition?.lastTransitionTime, operation?.startTime ?? operation?.lastUpdateTime].map(timeMs);
  // Before Fairway looked at it first, its condition has no time of its own.
  const sinceMs = Math.max(createdMs, Math.min(...begun.filter((ms) => ms !== undefined)));
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

/** Ready, which has the message of what keeps it from being so, or else what has been wrong for the longest. */
function worstOf(conditions: readonly Condition[]): Condition | undefined {
  const wrong = conditions.filter(
    ({ type, status, reason }) =>
      !NO_TROUBLE.has(type) &&
      !CHOSEN.has(reason) &&
      !isGoodWhileFalse(type) &&
      (status === 'False' || (type === 'Ready' && status === 'Unknown')),
  );
  wrong.sort((a, b) => (timeMs(a.lastTransitionTime) ?? 0) - (timeMs(b.lastTransitionTime) ?? 0));
  return wrong.find(({ type }) => type === 'Ready') ?? wrong[0];
}

/** Such as CredentialExpiresSoon. */
function isGoodWhileFalse(type: string): boolean {
  return type.endsWith('ExpiresSoon');
}

function timeMs(time: string | undefined): number | undefined {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
