import { describe, expect, it } from 'vitest';
import { type AuditEvent, isDryRun, outcomeOf } from './audit-event.ts';

const EVENT: AuditEvent = { auditID: 'a', verb: 'create', stageTimestamp: '2026-11-26T10:00:00.000000Z' };

describe('outcome of a request', () => {
  it.each([
    { code: 200, outcome: 'done' },
    { code: 101, outcome: 'done' },
    { code: 401, outcome: 'refused' },
    { code: 403, outcome: 'refused' },
    { code: 409, outcome: 'failed' },
    { code: 500, outcome: 'failed' },
    { code: undefined, outcome: 'unknown' },
  ])('status $code is $outcome', ({ code, outcome }) => {
    expect(outcomeOf({ ...EVENT, responseStatus: code === undefined ? {} : { code } })).toBe(outcome);
  });
});

describe('a dry run', () => {
  it.each([
    { requestURI: '/apis/x?dryRun=All', is: true },
    { requestURI: '/apis/x?fieldManager=a&dryRun=All&b=c', is: true },
    { requestURI: '/apis/x?fieldManager=dryRun=All', is: false },
    { requestURI: '/apis/x?dry%52un=All', is: true },
    { requestURI: '/apis/x??dryRun=All', is: false },
    { requestURI: '/apis/x', is: false },
  ])('$requestURI: $is', ({ requestURI, is }) => {
    expect(isDryRun({ ...EVENT, requestURI })).toBe(is);
  });

  it('is recognized by the annotation for deletions', () => {
    expect(isDryRun({ ...EVENT, verb: 'delete', annotations: { 'fairway.dev/dry-run': 'true' } })).toBe(true);
  });

  it.each<{ what: string; event: Partial<AuditEvent> }>([
    { what: 'a deletion, where only the body decides', event: { verb: 'delete' } },
    { what: 'reading', event: { verb: 'get' } },
    { what: 'a command in a pod', event: { objectRef: { resource: 'pods', subresource: 'exec' } } },
    { what: 'a token', event: { objectRef: { resource: 'serviceaccounts', subresource: 'token' } } },
  ])('ignores dryRun in the query of $what', ({ event }) => {
    expect(isDryRun({ ...EVENT, requestURI: '/x?dryRun=All', ...event })).toBe(false);
  });
});
