import { expect, it } from 'vitest';
import { groupDryRuns } from './entries.ts';
import type { TrimmedEvent } from './trimmed-event.ts';

function event(auditID: string, username: string, isDryRun = false): TrimmedEvent {
  const requestURI = isDryRun ? '/clusters?dryRun=All' : '/clusters';
  return { auditID, verb: 'create', requestURI, user: { username }, stageTimestamp: '2026-11-26T10:00:00.000000Z' };
}

it('groups consecutive dry runs by the same user, and lists other events one by one', () => {
  const entries = groupDryRuns([
    event('9', 'alice'),
    event('8', 'alice', true),
    event('7', 'alice', true),
    event('6', 'bob', true),
    event('5', 'alice', true),
    event('4', 'alice'),
    event('3', 'alice'),
  ]);

  const entryIDs = entries.map(({ event: { auditID }, earlierDryRuns }) => [
    auditID,
    ...earlierDryRuns.map((each) => each.auditID),
  ]);
  expect(entryIDs).toEqual([['9'], ['8', '7'], ['6'], ['5'], ['4'], ['3']]);
});
