import type { Addon } from '@fairway/addons/addon';
import { describeObject } from '@fairway/addons/addon';
import type { Health } from '@fairway/addons/health';
import { ConditionReason } from '@fairway/api/conditions';
import { ADOPT_ADDONS_ANNOTATION } from '@fairway/api/group';
import type { AddonStatus } from '@fairway/api/kinds/cluster-addons';
import { formatTime } from '@fairway/base/clock';
import type { FieldConflict, Refusal } from './apply-object.ts';
import type { Outcome } from './look.ts';

/** What is known of an add-on. */
export interface AddonView {
  readonly addon: Addon;
  readonly outcome: Outcome;
  /** Undefined while it is not seen. */
  readonly health: Health | undefined;
  /** Since when it has not worked, as far as this process has seen. */
  readonly failingSinceMs: number | undefined;
  /** What the operator has to mend of it although it runs. */
  readonly flaw?: string | undefined;
}

/** A node that joins is no fault of what has to start there. */
const PATIENCE_MS = 60_000;
/** How long one may take to become ready. */
const START_MS = 600_000;
/** How long all nodes together may take. */
const ROLLOUT_MS = 1_800_000;
const MAX_FIELDS = 5;
const MAX_FIELD_LENGTH = 120;
const MAX_MESSAGE_LENGTH = 1_000;

type Verdict = Pick<AddonStatus, 'state' | 'reason' | 'message'>;

/** What is told of an add-on. Pure. */
export function addonStatus(previous: AddonStatus | undefined, view: AddonView, nowMs: number): AddonStatus {
  const { addon, outcome } = view;
  const { state, reason, message } = verdictOf(previous, view, nowMs);
  const isSame = previous?.state === state;
  return {
    name: addon.name,
    ...(outcome.kind !== 'notManaged' && addon.objects.length > 0 && { version: addon.version }),
    state,
    reason,
    ...(message !== undefined && { message: cut(message, MAX_MESSAGE_LENGTH) }),
    lastTransitionTime: isSame ? previous.lastTransitionTime : formatTime(nowMs),
  };
}

function verdictOf(previous: AddonStatus | undefined, view: AddonView, nowMs: number): Verdict {
  const { outcome } = view;
  switch (outcome.kind) {
    case 'notManaged':
      return notManaged(previous, view.addon, outcome.object);
    case 'refused':
      return failed(previous, outcome.refusal);
    case 'unreached':
      return unreached(previous, outcome.message);
    case 'applied':
      if (view.addon.objects.length === 0) return NOT_SERVED;
      return healthVerdict(previous, view, outcome.conflicts, nowMs);
  }
}

function notManaged(
  previous: AddonStatus | undefined,
  { name, isNetwork }: Addon,
  object: string | undefined,
): Verdict {
  const reason = ConditionReason.AddonNotManaged;
  if (object === undefined && previous?.state === 'NotManaged' && previous.message !== undefined) {
    return { state: 'NotManaged', reason, message: previous.message };
  }
  const advice = isNetwork ? `when that is deleted, ${ADVICE} gets it ${name}` : `${ADVICE} takes it over`;
  const message = `the cluster has ${object ?? 'one'} of its own, which Fairway leaves alone; ${advice}`;
  return { state: 'NotManaged', reason, message };
}

const ADVICE = `a new value of the annotation ${ADOPT_ADDONS_ANNOTATION} of the Cluster, such as the time,`;

/** Its words stay while the object and the kind of the refusal do: those of webhooks may differ each time. */
function failed(previous: AddonStatus | undefined, { object, reason, message }: Refusal): Verdict {
  const what = `the cluster refuses ${object} (${reason}): `;
  const isKnown = previous?.state === 'Failed' && previous.message?.startsWith(what);
  return {
    state: 'Failed',
    reason: ConditionReason.AddonRefused,
    message: isKnown && previous.message !== undefined ? previous.message : what + message,
  };
}

/** Of an add-on that is not installed because the API server would not pass anything on to it. */
const NOT_SERVED: Verdict = {
  state: 'Unreached',
  reason: ConditionReason.AddonUnreached,
  message: 'it is not installed: simulated control planes pass no requests on to nodes',
};

/** Its words stay: those of connections differ from one try to the next. */
function unreached(previous: AddonStatus | undefined, words: string): Verdict {
  const what = 'it runs, and its API is not registered, because the API server does not reach it: ';
  const isKnown = previous?.state === 'Unreached' && previous.message?.startsWith(what);
  return {
    state: 'Unreached',
    reason: ConditionReason.AddonUnreached,
    message: isKnown && previous.message !== undefined ? previous.message : what + words,
  };
}

function healthVerdict(
  previous: AddonStatus | undefined,
  view: AddonView,
  conflicts: readonly FieldConflict[],
  nowMs: number,
): Verdict {
  const { addon, health } = view;
  const { Provisioning, WaitingForNode, Updating } = ConditionReason;
  const workload = describeObject(addon.workload);
  switch (health) {
    case undefined:
      return { state: 'Progressing', reason: Provisioning, message: 'it is being installed' };
    case 'unseen': {
      const message = `the cluster's controllers have not looked at ${workload} yet`;
      return { state: 'Progressing', reason: Provisioning, message };
    }
    case 'waiting':
      return { state: 'Progressing', reason: WaitingForNode, message: 'it waits for a node that is Ready' };
    case 'offline':
      return {
        state: 'Progressing',
        reason: WaitingForNode,
        message: 'it waits for the pod network: no node has one yet',
      };
    case 'updating': {
      const message = `${workload} is being renewed`;
      return isOverdue(previous, ROLLOUT_MS, nowMs)
        ? degraded(addon)
        : { state: 'Progressing', reason: Updating, message };
    }
    case 'failing':
    case 'unserved':
      return failing(previous, view, conflicts, nowMs);
    case 'working':
      return view.flaw === undefined
        ? working(conflicts)
        : { state: 'Degraded', reason: ConditionReason.AddonMisconfigured, message: view.flaw };
  }
}

function failing(
  previous: AddonStatus | undefined,
  { addon, health, failingSinceMs }: AddonView,
  conflicts: readonly FieldConflict[],
  nowMs: number,
): Verdict {
  const state = previous?.state;
  if (state === 'Ready' || state === 'Modified') {
    const isPatient = failingSinceMs === undefined || nowMs - failingSinceMs < PATIENCE_MS;
    return isPatient ? working(conflicts) : degraded(addon, health);
  }
  if (isOverdue(previous, START_MS, nowMs)) return degraded(addon, health);
  const message = `${describeObject(addon.workload)} is starting`;
  return { state: 'Progressing', reason: ConditionReason.Provisioning, message };
}

function isOverdue(previous: AddonStatus | undefined, afterMs: number, nowMs: number): boolean {
  if (previous?.state === 'Degraded') return true;
  return previous?.state === 'Progressing' && nowMs - Date.parse(previous.lastTransitionTime) >= afterMs;
}

function degraded({ workload, podSelector, needs, serving }: Addon, health?: Health): Verdict {
  if (health === 'unserved' && serving) {
    const { type, name } = serving.registration;
    const message = `its pods run, and ${type.kind} ${name} is not available; "kubectl describe apiservice ${name}" tells why`;
    return { state: 'Degraded', reason: ConditionReason.AddonDegraded, message };
  }
  const where =
    podSelector === undefined
      ? `kubectl describe ${workload.type.plural} ${workload.name}`
      : `kubectl -n kube-system describe pods -l ${podSelector}`;
  const wants = needs === undefined ? '' : ` (it needs ${needs})`;
  const message = `${describeObject(workload)} is not ready where it should be${wants}; "${where}" tells why`;
  return { state: 'Degraded', reason: ConditionReason.AddonDegraded, message };
}

function working(conflicts: readonly FieldConflict[]): Verdict {
  if (conflicts.length === 0) return { state: 'Ready', reason: ConditionReason.AsExpected, message: undefined };
  const parts = conflicts.map(({ object, fields, managers }) => {
    const named = fields.slice(0, MAX_FIELDS).map((field) => cut(field, MAX_FIELD_LENGTH));
    const more = fields.length > MAX_FIELDS ? [`${fields.length - MAX_FIELDS} more`] : [];
    const by = managers.slice(0, MAX_FIELDS).map((manager) => cut(manager, MAX_FIELD_LENGTH));
    return `${[...named, ...more].join(', ')} of ${object} (by ${by.join(', ')})`;
  });
  const message = `others have set ${parts.join('; ')}: Fairway leaves it so; ${ADVICE} takes it back`;
  return { state: 'Modified', reason: ConditionReason.AddonModified, message };
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
