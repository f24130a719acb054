import { pluralize } from '@fairway/api/domain/pluralize';
import type { UpgradeEstimate } from '@fairway/api/kinds/upgrade-plan-request';
import { typicalStartMs } from '../node-pool/typical-start.ts';
import type { PoolUpdate } from './pool-updates.ts';

/** Sources, from best to worst. */
const SOURCES = ['LastUpgrade', 'NewNodes', 'Timeouts'] as const satisfies readonly UpgradeEstimate['from'][];

/** How long a pool's nodes take to update, from earlier observations. Pure. */
export function poolEstimate(renewal: PoolUpdate): UpgradeEstimate {
  return estimateFromLastUpgrade(renewal) ?? estimateFromNewNodes(renewal) ?? estimateFromTimeouts(renewal);
}

/**
 * Pools with the same order are updated concurrently, others one after another. The estimate is only as good as its
 * worst part. Undefined if no node is updated.
 */
export function totalEstimate(
  parts: readonly { readonly order: number; readonly estimate: UpgradeEstimate }[],
  { hasControlPlane }: { readonly hasControlPlane: boolean },
): UpgradeEstimate | undefined {
  if (parts.length === 0) return undefined;
  const poolsByOrder = Map.groupBy(parts, ({ order }) => order);
  const longest = [...poolsByOrder.values()].map((same) => Math.max(...same.map(({ estimate }) => estimate.seconds)));
  const seconds = longest.reduce((sum, each) => sum + each, 0);
  const from = SOURCES.findLast((source) => parts.some(({ estimate }) => estimate.from === source)) ?? 'Timeouts';
  const most = from === 'Timeouts' ? 'at most ' : 'about ';
  return {
    seconds,
    from,
    message: `the nodes take ${most}${formatDuration(seconds)}${hasControlPlane ? '; how long the control plane takes is not known in advance' : ''}`,
  };
}

/** How long pools' nodes take to update; undefined if nothing has been observed yet. Pure. */
export function measuredSeconds(renewals: readonly PoolUpdate[]): number | undefined {
  const parts = renewals.map((renewal) => ({ order: renewal.order, estimate: poolEstimate(renewal) }));
  if (parts.length === 0) return 0;
  const total = totalEstimate(parts, { hasControlPlane: true });
  return total?.from === 'Timeouts' ? undefined : total?.seconds;
}

/** The estimate from the pool's last upgrade, including the time spent waiting. */
function estimateFromLastUpgrade({ pool, strategy, outdated }: PoolUpdate): UpgradeEstimate | undefined {
  const last = pool.status?.upgrade;
  if (last === undefined || last.strategy !== strategy) return undefined;
  const { pace, done, startTime, endTime } = last;
  const seen =
    pace?.lastTime !== undefined
      ? { nodes: done - pace.done, ms: Date.parse(pace.lastTime) - Date.parse(pace.time) }
      : last.state === 'Complete' && startTime !== undefined && endTime !== undefined
        ? { nodes: last.total, ms: Date.parse(endTime) - Date.parse(startTime) }
        : undefined;
  if (seen === undefined || seen.nodes <= 0 || !(seen.ms > 0)) return undefined;
  const seconds = Math.ceil((seen.ms / seen.nodes / 1000) * outdated.length);
  const duration = formatDuration(Math.ceil(seen.ms / 1000));
  return { seconds, from: 'LastUpgrade', message: `${pluralize(seen.nodes, 'node')} took ${duration} last time` };
}

function estimateFromNewNodes(renewal: PoolUpdate): UpgradeEstimate | undefined {
  const median = typicalStartMs(renewal.machines);
  if (median === undefined) return undefined;
  const each = Math.ceil(median / 1000);
  const message = `a new node of the pool took ${formatDuration(each)} to become Ready; moving its pods takes additional time`;
  return { seconds: each * roundsOf(renewal), from: 'NewNodes', message };
}

function estimateFromTimeouts(renewal: PoolUpdate): UpgradeEstimate {
  const { drainTimeoutMs = 0, startupTimeoutMs } = renewal;
  const drain = Math.ceil(drainTimeoutMs / 1000);
  const start = Math.ceil(startupTimeoutMs / 1000);
  return {
    seconds: (drain + start) * roundsOf(renewal),
    from: 'Timeouts',
    message: `no data about its nodes: each may take ${formatDuration(drain)} to drain (drainTimeout) and ${formatDuration(start)} to become Ready (nodeStartupTimeout)`,
  };
}

/** The first node is updated alone. */
function roundsOf({ outdated, width }: PoolUpdate): number {
  return outdated.length === 0 ? 0 : 1 + Math.ceil((outdated.length - 1) / width);
}

/** `45 s`, `12 min`, `3 h 20 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`;
}
