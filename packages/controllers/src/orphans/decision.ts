import type { OrphanPolicy } from '@fairway/api/domain/orphan-policy';
import type { Remain, Remains } from '../vanished/cloud-remains.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** When it is looked, after the end of a cluster, for what a request made that took effect too late: soon, and then ever more seldom. */
const LOOKS_MS: readonly number[] = [10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS];

/** How long the record of an ended cluster is kept. */
export const RECORD_MS = Math.max(...LOOKS_MS);

/** How late a request of Fairway's may take effect. What is made later is somebody else's, who has the cluster now. */
const LATEST_MS = HOUR_MS;

/** How many records are kept of a namespace: whoever makes and deletes clusters all day must not fill the database. */
export const MAX_RECORDS = 200;

/** When to look next at what is left of a cluster that ended then: the first look that has not passed; undefined when the last one has. Pure. */
export function nextLookMs(endedMs: number, nowMs: number): number | undefined {
  return LOOKS_MS.map((afterMs) => endedMs + afterMs).find((lookMs) => lookMs > nowMs);
}

/** `hold`: left alone and told, for another Fairway may have it. */
export type RemainsVerdict = 'nothing' | 'delete' | 'report' | 'hold';

/**
 * What to do with what carries the mark of an ended cluster. A resource that was made long after the end is no late request's: a Fairway that has the same
 * cluster from a backup made it, and then nothing of the cluster is touched. Pure.
 */
export function judgeRemains(remains: Remains, endedMs: number, policy: OrphanPolicy): RemainsVerdict {
  const found = [...remains.values()].flat();
  if (found.length === 0) return 'nothing';
  if (found.some((each) => (madeMs(each) ?? endedMs) > endedMs + LATEST_MS)) return 'hold';
  return policy === 'Delete' ? 'delete' : 'report';
}

/** Of the records of a namespace those that go, the oldest. Pure. */
export function beyondLimit<T extends { readonly endedMs: number }>(records: readonly T[]): readonly T[] {
  return records.toSorted((a, b) => b.endedMs - a.endedMs).slice(MAX_RECORDS);
}

/** Nova, Neutron and Glance end a time with Z, Cinder and Octavia with nothing; all mean UTC. */
function madeMs({ madeAt }: Remain): number | undefined {
  if (madeAt === undefined) return undefined;
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(madeAt) ? madeAt : `${madeAt}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
