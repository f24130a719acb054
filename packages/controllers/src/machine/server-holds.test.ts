import { describe, expect, test } from 'vitest';
import { busyServerProblem } from './server-holds.ts';

const ID = 's1';

describe('a server that is not deleted', () => {
  test.each([
    {
      server: { id: ID, status: 'ACTIVE' as const, 'OS-EXT-STS:task_state': 'deleting' },
      reason: 'CloudBusy',
      expectedMessage: '(ACTIVE, deleting)',
    },
    { server: { id: ID }, reason: 'CloudBusy', expectedMessage: 'has not deleted server s1 yet;' },
    {
      server: { id: ID, status: 'ERROR' as const, fault: { code: 500, message: 'libvirt lost s1.' } },
      reason: 'DeletionFailed',
      expectedMessage: 'server s1, which is in ERROR: libvirt lost …;',
    },
    {
      server: { id: ID, status: 'ERROR' as const, 'OS-EXT-STS:task_state': 'deleting' },
      reason: 'CloudBusy',
      expectedMessage: '(ERROR, deleting)',
    },
  ])('$reason: $expectedMessage', ({ server, reason, expectedMessage }) => {
    const problem = busyServerProblem(server);

    expect(problem.reason).toBe(reason);
    expect(problem.message).toContain(expectedMessage);
    expect(problem.message).toContain('the cloud operator');
  });
});
