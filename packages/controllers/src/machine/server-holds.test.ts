import { describe, expect, test } from 'vitest';
import { busyServerProblem } from './server-holds.ts';

const ID = 's1';

describe('a server that is not deleted', () => {
  test.each([
    {
      server: { id: ID, status: 'ACTIVE' as const, 'OS-EXT-STS:task_state': 'deleting' },
      reason: 'CloudBusy',
      says: '(ACTIVE, deleting)',
    },
    { server: { id: ID }, reason: 'CloudBusy', says: 'has not deleted server s1 yet;' },
    {
      server: { id: ID, status: 'ERROR' as const, fault: { code: 500, message: 'libvirt lost s1.' } },
      reason: 'DeletionFailed',
      says: 'server s1, which is in ERROR: libvirt lost …;',
    },
    {
      server: { id: ID, status: 'ERROR' as const, 'OS-EXT-STS:task_state': 'deleting' },
      reason: 'CloudBusy',
      says: '(ERROR, deleting)',
    },
  ])('$reason: $says', ({ server, reason, says }) => {
    const problem = busyServerProblem(server);

    expect(problem.reason).toBe(reason);
    expect(problem.message).toContain(says);
    expect(problem.message).toContain('the cloud operator');
  });
});
