import { expect, it } from 'vitest';
import { entriesOf } from './entries.ts';
import type { KeptEvent } from './kept-event.ts';

function event(auditID: string, username: string, isDryRun = false): KeptEvent {
  const requestURI = isDryRun ? '/clusters?dryRun=All' : '/clusters';
  return { auditID, verb: 'create', requestURI, user: { username }, stageTimestamp: '2026-11-26T10:00:00.000000Z' };
}

it('tells dry runs one after another by the same user at once, and all else one by one', () => {
  const entries = entriesOf([
    event('9', 'alice'),
    event('8', 'alice', true),
    event('7', 'alice', true),
    event('6', 'bob', true),
    event('5', 'alice', true),
    event('4', 'alice'),
    event('3', 'alice'),
  ]);

  const told = entries.map(({ event: { auditID }, earlier }) => [auditID, ...earlier.map((each) => each.auditID)]);
  expect(told).toEqual([['9'], ['8', '7'], ['6'], ['5'], ['4'], ['3']]);
});
