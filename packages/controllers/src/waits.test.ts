import type { ConditionReason } from '@fairway/api/conditions';
import { describe, expect, test } from 'vitest';
import { operation } from './operation.ts';
import { datedConditions, heldObjectsProblem, type WaitingObject, waitMessage, warnOfWait } from './waits.ts';

const T0 = Date.UTC(2026, 0, 1);
const SINCE = '2026-01-01T00:00:00Z';

function leaving(name: string, reason: ConditionReason, message: string, atMs = T0): WaitingObject {
  const next = { type: 'Delete', state: 'Error', progress: 0, description: message, reason } as const;
  const lastOperation = operation(undefined, next, atMs);
  const ready = {
    type: 'Ready',
    status: 'False',
    reason,
    message: waitMessage(lastOperation),
    lastTransitionTime: SINCE,
  } as const;
  return { metadata: { name }, status: { lastOperation, conditions: [ready] } };
}

function machines(...objects: readonly WaitingObject[]) {
  return heldObjectsProblem([{ noun: 'machine', objects }]);
}

describe('objects waiting for deletion', () => {
  test('are not reported while Fairway is working on all of them', () => {
    expect(
      machines(leaving('a', 'Deleting', 'the cloud is deleting the server'), { metadata: { name: 'b' } }),
    ).toBeUndefined();
  });

  test('are not reported with a wait that began before the deletion', () => {
    const next = { type: 'Create', state: 'Error', progress: 0, description: 'full', reason: 'QuotaExceeded' } as const;
    expect(
      machines({ metadata: { name: 'a' }, status: { lastOperation: operation(undefined, next, T0) } }),
    ).toBeUndefined();
  });

  test('are reported with the required actor, and the time', () => {
    expect(machines(leaving('a', 'ServerLocked', 'it is locked'))).toEqual({
      reason: 'ServerLocked',
      message: `machine a: it is locked; since ${SINCE}`,
    });
  });

  test('are combined in one report for each cause, with a few names and the earliest time', () => {
    const all = ['e', 'd', 'c', 'b', 'a'].map((name, i) =>
      leaving(name, 'CredentialInvalid', 'revoked', T0 + i * 1_000),
    );

    expect(machines(...all)?.message).toBe(`machines a, b, c and 2 more: revoked; since ${SINCE}`);
  });

  test('are sorted, with those that a user can resolve first, and limited in number', () => {
    const all = [
      leaving('a', 'CloudUnavailable', 'away'),
      ...['b', 'c', 'd', 'e'].map((name) => leaving(name, 'PodDisruptionBudget', `keeps ${name}`)),
    ];
    const reportedText = machines(...all);

    expect(reportedText?.reason).toBe('PodDisruptionBudget');
    expect(reportedText?.message).toMatch(/^machine b: keeps b; .*machine d: keeps d; since [^;]*; and 2 more$/);
  });
});

describe('a Warning about a wait', () => {
  const warned = (before: WaitingObject, reason: ConditionReason, message: string) => {
    const reportedText: string[] = [];
    warnOfWait({ warning: (_, why) => reportedText.push(why) }, before, { reason, message });
    return reportedText;
  };

  test.each<{ what: string; reason: ConditionReason; message: string; reportedText: readonly string[] }>([
    { what: 'a new cause', reason: 'ResourceInUse', message: 'port x', reportedText: ['ResourceInUse'] },
    { what: 'the same cause', reason: 'ServerLocked', message: 'it is locked', reportedText: [] },
    {
      what: 'the same reason of another object',
      reason: 'ServerLocked',
      message: 'b is locked',
      reportedText: ['ServerLocked'],
    },
    {
      what: 'a wait that Fairway is working on',
      reason: 'Deleting',
      message: 'the server is deleted',
      reportedText: [],
    },
  ])('is recorded for $what: $reportedText', ({ reason, message, reportedText }) => {
    expect(warned(leaving('a', 'ServerLocked', 'it is locked'), reason, message)).toEqual(reportedText);
  });
});

describe('the Ready condition of a waiting object', () => {
  const ready = (status: 'True' | 'False', reason: ConditionReason, message: string) =>
    ({ type: 'Ready', status, reason, message, lastTransitionTime: SINCE }) as const;

  test.each([
    {
      condition: ready('False', 'QuotaExceeded', 'cores'),
      reason: 'QuotaExceeded',
      expectedMessage: `cores; since ${SINCE}`,
    },
    {
      condition: ready('False', 'Scaling', '1/2'),
      reason: 'Scaling',
      expectedMessage: '1/2',
      because: 'Fairway is working on it',
    },
    {
      condition: ready('False', 'QuotaExceeded', 'cores'),
      reason: 'Scaling',
      expectedMessage: 'cores',
      because: 'it is another wait',
    },
    {
      condition: ready('False', 'QuotaExceeded', 'a: cores; since 2025-01-01T00:00:00Z'),
      reason: 'QuotaExceeded',
      expectedMessage: 'a: cores; since 2025-01-01T00:00:00Z',
      because: "it repeats its machine's wait",
    },
    { condition: ready('True', 'AsExpected', ''), reason: undefined, expectedMessage: '', because: 'it is ready' },
  ])('is "$expectedMessage": $because', ({ condition, reason, expectedMessage }) => {
    const paused = { ...ready('False', 'Paused', 'x'), type: 'Paused' };

    const dated = datedConditions([paused, condition], { reason, since: SINCE });

    expect(dated.map(({ message }) => message)).toEqual(['x', expectedMessage]);
  });
});
