import { expect, it } from 'vitest';
import { serverFaultKind } from './server-fault.ts';

it.each([
  { status: 'ACTIVE', message: undefined, kind: undefined },
  { status: 'ERROR', message: undefined, kind: 'failed' },
  { status: 'ERROR', message: 'No valid host was found. There are not enough hosts available.', kind: 'outOfCapacity' },
  {
    status: 'ERROR',
    message:
      'Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures for instance 7a9f.',
    kind: 'outOfCapacity',
  },
  { status: 'ERROR', message: 'Quota exceeded for ports', kind: 'quotaExceeded' },
  { status: 'ERROR', message: 'Build of instance 7a9f aborted: Failed to allocate the network(s).', kind: 'failed' },
] as const)('$status with $message: $kind', ({ status, message, kind }) => {
  expect(serverFaultKind({ status, ...(message !== undefined && { fault: { code: 500, message } }) })).toBe(kind);
});
