import { createHash } from 'node:crypto';
import { ConditionReason } from '@fairway/api/conditions';
import { followedRequest, isNewRequest } from '@fairway/api/domain/request';
import type { DesiredMachine } from '@fairway/api/domain/template-change';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import { formatTime } from '@fairway/base/clock';
import type { Problem } from '@fairway/tenancy/problem';

/** Names what machines are renewed to: `1.34.2-4f3a9c1d`. */
export function targetName(target: Omit<DesiredMachine, 'floatingIP'>): string {
  const { version, image, flavor, rootVolume, zones, authorityGeneration } = target;
  const places = zones.length === 0 ? [] : [zones.toSorted()];
  const authorities = authorityGeneration === undefined ? [] : [{ authorityGeneration }];
  const rest = JSON.stringify([image, flavor, rootVolume?.sizeGiB, rootVolume?.type, ...places, ...authorities]);
  return `${version}-${createHash('sha256').update(rest).digest('hex').slice(0, 8)}`;
}

/** Whether there is more to renew, sooner or later: not where nobody is going to. */
export function isUnderWay(upgrade: PoolUpgrade | undefined): upgrade is PoolUpgrade {
  if (upgrade === undefined || upgrade.reason === ConditionReason.UpdateAvailable) return false;
  return upgrade.state !== 'Complete' && upgrade.state !== 'Aborted';
}

/** Of what the API accepts in `status.upgrade.message`. */
const MAX_MESSAGE = 2048;

/** How an upgrade stands after this pass. */
export interface Standing {
  readonly target: string;
  readonly strategy: PoolUpgrade['strategy'];
  readonly state: PoolUpgrade['state'];
  /** Machines that are not renewed yet, those on their way included. */
  readonly pending: number;
  /** Whether a machine was taken by now. */
  readonly hasBegun: boolean;
  readonly wait: Problem | undefined;
  /** What the annotation fairway.dev/retry-requested asks for, as `requestIn` has it. */
  readonly retryRequested: string | undefined;
}

/** `status.upgrade` from its last state; pure. Nothing of it changes while nothing happens. */
export function nextUpgrade(last: PoolUpgrade | undefined, standing: Standing, nowMs: number): PoolUpgrade {
  const { target, strategy, state, pending, hasBegun, wait } = standing;
  const retried = followedRequest(standing.retryRequested, last?.retried);
  const now = formatTime(nowMs);
  const isGoingOn = last?.target === target && (last.state !== 'Complete' || state === 'Complete');
  const previous = isGoingOn ? last : undefined;
  const startTime = previous?.startTime ?? (hasBegun ? now : undefined);
  const total = previous?.startTime === undefined ? pending : Math.max(previous.total, pending);
  const done = Math.max(total - pending, startTime === undefined ? 0 : Math.min(previous?.done ?? 0, total));
  const pace = paceOf(previous, { state, done, now });
  const isRetry = isNewRequest(standing.retryRequested, last?.retried);
  const retriedTime = isRetry && last !== undefined ? now : last?.retriedTime;
  const estimatedEndTime = state === 'Running' ? estimateOf(pace, { done, total }) : undefined;
  return {
    target,
    strategy,
    state,
    total,
    done,
    summary: `${done}/${total}`,
    ...(wait && {
      reason: wait.reason,
      message: wait.message.slice(0, MAX_MESSAGE),
      since: previous?.reason === wait.reason ? (previous.since ?? now) : now,
    }),
    ...(startTime !== undefined && { startTime }),
    ...(state === 'Complete' && { endTime: previous?.endTime ?? now }),
    ...(estimatedEndTime !== undefined && { estimatedEndTime }),
    ...(pace && { pace }),
    ...(retried !== undefined && { retried }),
    ...(retriedTime !== undefined && { retriedTime }),
  };
}

/** Waiting tells nothing about how long a node takes: the estimate begins anew when it goes on. */
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
  { done, total }: { readonly done: number; readonly total: number },
): string | undefined {
  if (pace?.lastTime === undefined || done <= pace.done) return undefined;
  const lastMs = Date.parse(pace.lastTime);
  const perNodeMs = (lastMs - Date.parse(pace.time)) / (done - pace.done);
  return formatTime(lastMs + perNodeMs * (total - done));
}
