import { createHash } from 'node:crypto';
import { ConditionReason } from '@fairway/api/conditions';
import { settingsDigest } from '@fairway/api/domain/node-settings';
import { formatNetworks } from '@fairway/api/domain/pool-networks';
import { isNewRequest, requestToRecord } from '@fairway/api/domain/request';
import type { DesiredMachine } from '@fairway/api/domain/template-change';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import { formatTime } from '@fairway/base/clock';
import type { Problem } from '@fairway/tenancy/problem';

/** Identifies the target that machines are updated to: `1.34.2-4f3a9c1d`. */
export function targetName(target: Omit<DesiredMachine, 'floatingIP'>): string {
  const { version, image, flavor, rootVolume, zones, authorityGeneration } = target;
  const places = zones.length === 0 ? [] : [zones.toSorted()];
  const authorities = authorityGeneration === undefined ? [] : [{ authorityGeneration }];
  const digest = settingsDigest(target);
  const settings = digest === undefined ? [] : [{ settings: digest }];
  const networks = formatNetworks(target.networks);
  const more = networks === '' ? [] : [{ networks }];
  const parts = [image, flavor, rootVolume?.sizeGiB, rootVolume?.type, ...places, ...authorities, ...settings, ...more];
  const rest = JSON.stringify(parts);
  return `${version}-${createHash('sha256').update(rest).digest('hex').slice(0, 8)}`;
}

/** Whether anything remains to be updated, now or later; false if the rest will never be updated automatically. */
export function isUnderWay(upgrade: PoolUpgrade | undefined): upgrade is PoolUpgrade {
  if (upgrade === undefined || upgrade.reason === ConditionReason.UpdateAvailable) return false;
  return upgrade.state !== 'Complete' && upgrade.state !== 'Aborted';
}

/** Maximum length that the API accepts in `status.upgrade.message`. */
const MAX_MESSAGE_LENGTH = 2048;

/** The state of an upgrade after this pass. */
export interface RolloutProgress {
  readonly target: string;
  readonly strategy: PoolUpgrade['strategy'];
  readonly state: PoolUpgrade['state'];
  /** Machines that are not updated yet, including those in progress. */
  readonly pending: number;
  /** Whether any machine has started. */
  readonly hasBegun: boolean;
  readonly wait: Problem | undefined;
  /** The value of the annotation fairway.dev/retry-requested, as `requestIn` returns it. */
  readonly retryRequested: string | undefined;
}

/** `status.upgrade` from its last state; pure. It does not change while nothing happens. */
export function nextUpgrade(last: PoolUpgrade | undefined, progress: RolloutProgress, nowMs: number): PoolUpgrade {
  const { target, strategy, state, pending, hasBegun, wait } = progress;
  const retriedRequest = requestToRecord(progress.retryRequested, last?.retried);
  const now = formatTime(nowMs);
  const isInProgress = last?.target === target && (last.state !== 'Complete' || state === 'Complete');
  const previous = isInProgress ? last : undefined;
  const startTime = previous?.startTime ?? (hasBegun ? now : undefined);
  const total = previous?.startTime === undefined ? pending : Math.max(previous.total, pending);
  const done = Math.max(total - pending, startTime === undefined ? 0 : Math.min(previous?.done ?? 0, total));
  const pace = paceOf(previous, { state, done, now });
  const isRetry = isNewRequest(progress.retryRequested, last?.retried);
  const retriedTime = isRetry && last !== undefined ? now : last?.retriedTime;
  const estimatedEndTime = state === 'Running' ? estimateOf(pace, { done, total, nowMs }) : undefined;
  return {
    target,
    strategy,
    state,
    total,
    done,
    summary: `${done}/${total}`,
    ...(wait && {
      reason: wait.reason,
      message: wait.message.slice(0, MAX_MESSAGE_LENGTH),
      since: previous?.reason === wait.reason ? (previous.since ?? now) : now,
    }),
    ...(startTime !== undefined && { startTime }),
    ...(state === 'Complete' && { endTime: previous?.endTime ?? now }),
    ...(estimatedEndTime !== undefined && { estimatedEndTime }),
    ...(pace && { pace }),
    ...(retriedRequest !== undefined && { retried: retriedRequest }),
    ...(retriedTime !== undefined && { retriedTime }),
  };
}

/** Waiting time does not show how long a node takes, so the estimate restarts when the upgrade continues. */
function paceOf(
  previous: PoolUpgrade | undefined,
  { state, done, now }: { readonly state: PoolUpgrade['state']; readonly done: number; readonly now: string },
): PoolUpgrade['pace'] {
  if (state !== 'Running') return undefined;
  const pace = previous?.state === 'Running' ? previous.pace : undefined;
  if (pace === undefined) return { time: now, done };
  return previous !== undefined && done > previous.done ? { ...pace, lastTime: now } : pace;
}

function estimateOf(
  pace: PoolUpgrade['pace'],
  { done, total, nowMs }: { readonly done: number; readonly total: number; readonly nowMs: number },
): string | undefined {
  if (pace?.lastTime === undefined || done <= pace.done) return undefined;
  const lastMs = Date.parse(pace.lastTime);
  const perNodeMs = (lastMs - Date.parse(pace.time)) / (done - pace.done);
  const endMs = lastMs + perNodeMs * (total - done);
  return endMs >= Date.parse(formatTime(nowMs)) ? formatTime(endMs) : undefined;
}
