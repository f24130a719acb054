import type { Addon } from '@fairway/addons/addon';
import { describeObject } from '@fairway/addons/addon';
import type { Health } from '@fairway/addons/health';
import { ConditionReason } from '@fairway/api/conditions';
import { ADOPT_ADDONS_ANNOTATION } from '@fairway/api/group';
import type { AddonStatus } from '@fairway/api/kinds/cluster-addons';
import { formatTime } from '@fairway/base/clock';
import type { Outcome } from './apply-addons.ts';
import type { FieldConflict, Refusal } from './apply-object.ts';

/** The facts about an add-on. */
export interface AddonView {
  readonly addon: Addon;
  readonly outcome: Outcome;
  /** Undefined until it is observed. */
  readonly health: Health | undefined;
  /** When the add-on stopped working, as observed by this process. */
  readonly failingSinceMs: number | undefined;
  /** What the operator must fix even though the add-on is running. */
  readonly misconfiguration?: string | undefined;
  /** What the cluster lacks, if its plan allows that. */
  readonly note?: string | undefined;
}

/** A joining node whose pods are still starting is not a failure. */
const FAILURE_GRACE_MS = 60_000;
/** How long an add-on may take to become ready. */
const START_TIMEOUT_MS = 600_000;
/** How long a rollout to all nodes may take. */
const ROLLOUT_TIMEOUT_MS = 1_800_000;
const MAX_FIELDS = 5;
const MAX_FIELD_LENGTH = 120;
const MAX_MESSAGE_LENGTH = 1_000;

type HealthState = Pick<AddonStatus, 'state' | 'reason' | 'message'>;

/** The reported state of an add-on. Pure. */
export function addonStatus(previous: AddonStatus | undefined, view: AddonView, nowMs: number): AddonStatus {
  const { addon, outcome } = view;
  const { state, reason, message } = stateOf(previous, view, nowMs);
  const isSame = previous?.state === state;
  return {
    name: addon.name,
    ...(outcome.kind !== 'notManaged' && addon.objects.length > 0 && { version: addon.version }),
    state,
    reason,
    ...(message !== undefined && { message: truncate(message, MAX_MESSAGE_LENGTH) }),
    lastTransitionTime: isSame ? previous.lastTransitionTime : formatTime(nowMs),
  };
}

function stateOf(previous: AddonStatus | undefined, view: AddonView, nowMs: number): HealthState {
  const { outcome } = view;
  switch (outcome.kind) {
    case 'notManaged':
      return unmanagedState(previous, view.addon, outcome.object);
    case 'refused':
      return failedState(previous, outcome.refusal);
    case 'unreached':
      return unreachableState(previous, outcome.message);
    case 'applied':
      if (view.addon.objects.length === 0) return NOT_SERVED;
      return healthState(previous, view, outcome.conflicts, nowMs);
  }
}

function unmanagedState(
  previous: AddonStatus | undefined,
  { name, isNetwork }: Addon,
  object: string | undefined,
): HealthState {
  const reason = ConditionReason.AddonNotManaged;
  if (object === undefined && previous?.state === 'NotManaged' && previous.message !== undefined) {
    return { state: 'NotManaged', reason, message: previous.message };
  }
  const advice = isNetwork
    ? `delete it, and ${ADVICE} makes Fairway install ${name}`
    : `${ADVICE} makes Fairway take it over`;
  const message = `the cluster has its own ${object ?? 'one'}, which Fairway does not manage; ${advice}`;
  return { state: 'NotManaged', reason, message };
}

const ADVICE = `a new value of the Cluster's annotation ${ADOPT_ADDONS_ANNOTATION}, such as the current time,`;

/**
 * Keeps the message while the object and the kind of rejection are the same: messages of webhooks may differ each time.
 */
function failedState(previous: AddonStatus | undefined, { object, reason, message }: Refusal): HealthState {
  const prefix = `the cluster's API server rejected ${object} (${reason}): `;
  const isKnown = previous?.state === 'Failed' && previous.message?.startsWith(prefix);
  return {
    state: 'Failed',
    reason: ConditionReason.AddonRefused,
    message: isKnown && previous.message !== undefined ? previous.message : prefix + message,
  };
}

/** The state of an add-on that is not installed because the API server would not forward requests to it. */
const NOT_SERVED: HealthState = {
  state: 'Unreached',
  reason: ConditionReason.AddonUnreached,
  message: 'not installed: simulated control planes do not forward requests to nodes',
};

/** Keeps the message: connection errors differ from one attempt to the next. */
function unreachableState(previous: AddonStatus | undefined, words: string): HealthState {
  const prefix = 'it is running, but its API is not registered because the API server cannot reach it: ';
  const isKnown = previous?.state === 'Unreached' && previous.message?.startsWith(prefix);
  return {
    state: 'Unreached',
    reason: ConditionReason.AddonUnreached,
    message: isKnown && previous.message !== undefined ? previous.message : prefix + words,
  };
}

function healthState(
  previous: AddonStatus | undefined,
  view: AddonView,
  conflicts: readonly FieldConflict[],
  nowMs: number,
): HealthState {
  const { addon, health } = view;
  const { Provisioning, WaitingForNode, Updating } = ConditionReason;
  const workload = describeObject(addon.workload);
  switch (health) {
    case undefined:
      return { state: 'Progressing', reason: Provisioning, message: 'it is being installed' };
    case 'unseen': {
      const message = `the cluster's controllers have not processed ${workload} yet`;
      return { state: 'Progressing', reason: Provisioning, message };
    }
    case 'waiting':
      return { state: 'Progressing', reason: WaitingForNode, message: 'waiting for a Ready node' };
    case 'offline':
      return {
        state: 'Progressing',
        reason: WaitingForNode,
        message: 'waiting for the pod network: no node has one yet',
      };
    case 'updating': {
      const message = `${workload} is being rolled out`;
      return isOverdue(previous, ROLLOUT_TIMEOUT_MS, nowMs)
        ? degradedState(addon)
        : { state: 'Progressing', reason: Updating, message };
    }
    case 'failing':
    case 'unserved':
      return failingState(previous, view, conflicts, nowMs);
    case 'working':
      return view.misconfiguration === undefined
        ? workingState(conflicts, view.note)
        : { state: 'Degraded', reason: ConditionReason.AddonMisconfigured, message: view.misconfiguration };
  }
}

function failingState(
  previous: AddonStatus | undefined,
  { addon, health, failingSinceMs, note }: AddonView,
  conflicts: readonly FieldConflict[],
  nowMs: number,
): HealthState {
  const state = previous?.state;
  if (state === 'Ready' || state === 'Modified') {
    const isWithinGracePeriod = failingSinceMs === undefined || nowMs - failingSinceMs < FAILURE_GRACE_MS;
    return isWithinGracePeriod ? workingState(conflicts, note) : degradedState(addon, health);
  }
  if (isOverdue(previous, START_TIMEOUT_MS, nowMs)) return degradedState(addon, health);
  const message = `${describeObject(addon.workload)} is starting`;
  return { state: 'Progressing', reason: ConditionReason.Provisioning, message };
}

function isOverdue(previous: AddonStatus | undefined, afterMs: number, nowMs: number): boolean {
  if (previous?.state === 'Degraded') return true;
  return previous?.state === 'Progressing' && nowMs - Date.parse(previous.lastTransitionTime) >= afterMs;
}

function degradedState({ workload, podSelector, requirements, aggregatedApi }: Addon, health?: Health): HealthState {
  if (health === 'unserved' && aggregatedApi) {
    const { type, name } = aggregatedApi.registration;
    const message = `its pods are running, but ${type.kind} ${name} is not available; to see why: kubectl describe apiservice ${name}`;
    return { state: 'Degraded', reason: ConditionReason.AddonDegraded, message };
  }
  const where =
    podSelector === undefined
      ? `kubectl describe ${workload.type.plural} ${workload.name}`
      : `kubectl -n kube-system describe pods -l ${podSelector}`;
  const needsNote = requirements === undefined ? '' : ` (it needs ${requirements})`;
  const message = `${describeObject(workload)} is not ready on every node that should run it${needsNote}; to see why: ${where}`;
  return { state: 'Degraded', reason: ConditionReason.AddonDegraded, message };
}

function workingState(conflicts: readonly FieldConflict[], note: string | undefined): HealthState {
  if (conflicts.length === 0) return { state: 'Ready', reason: ConditionReason.AsExpected, message: note };
  const parts = conflicts.map(({ object, fields, managers }) => {
    const named = fields.slice(0, MAX_FIELDS).map((field) => truncate(field, MAX_FIELD_LENGTH));
    const more = fields.length > MAX_FIELDS ? [`${fields.length - MAX_FIELDS} more`] : [];
    const by = managers.slice(0, MAX_FIELDS).map((manager) => truncate(manager, MAX_FIELD_LENGTH));
    return `${[...named, ...more].join(', ')} of ${object} (by ${by.join(', ')})`;
  });
  const message = `modified by others: ${parts.join('; ')}; Fairway does not revert this; ${ADVICE} makes it do so`;
  return { state: 'Modified', reason: ConditionReason.AddonModified, message };
}

function truncate(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
