import { describe, expect, it } from 'vitest';
import { Entry } from '../store/store.ts';
import { EventLog } from './event-log.ts';

const LIMITS = { maxEvents: 1000, maxBytes: 20_000, maxAgeMs: 60_000 };
const LEASES = 'leases.coordination.k8s.io';

function changeOf(bucket: string, revision: number, chars = 0) {
  const entry = new Entry(`a/${revision}`, revision, '{}');
  const previous = chars === 0 ? undefined : new Entry(entry.key, revision - 1, 'x'.repeat(chars));
  return { bucket, removed: false, entry, previous };
}

function revisionsIn(log: EventLog, bucket: string): number[] {
  return log.since(0, bucket).map(({ entry }) => entry.revision);
}

describe('the log of changes', () => {
  it('is limited by number, size and age', () => {
    const log = new EventLog(0, { ...LIMITS, maxEvents: 3 });
    for (let revision = 1; revision <= 4; revision++) log.push(changeOf('pods', revision), 0);
    expect(revisionsIn(log, 'pods')).toEqual([2, 3, 4]);
    log.push(changeOf('pods', 5, 19_700), 0);
    expect(revisionsIn(log, 'pods')).toEqual([5]);
    log.push(changeOf('pods', 6), 60_001);
    expect(revisionsIn(log, 'pods')).toEqual([6]);
    expect(log.compactedRevision('pods')).toBe(5);
  });

  it('keeps the latest heartbeats, and does not drop other changes to make room for them', () => {
    const log = new EventLog(0, LIMITS);
    log.push(changeOf('pods', 1), 0);
    for (let revision = 2; revision <= 1001; revision++) log.push(changeOf(LEASES, revision), 0);
    expect(revisionsIn(log, 'pods')).toEqual([1]);
    expect(log.compactedRevision('pods')).toBe(0);
    expect(revisionsIn(log, LEASES)).toHaveLength(64);
    expect(log.compactedRevision(LEASES)).toBe(1001 - 64);
  });

  it('drops old changes even if there are only heartbeats', () => {
    const log = new EventLog(0, LIMITS);
    log.push(changeOf('pods', 1), 0);
    log.push(changeOf(LEASES, 2), 60_001);
    expect(revisionsIn(log, 'pods')).toEqual([]);
    expect(log.compactedRevision('pods')).toBe(1);
  });
});
