import { FakeClock } from '@fairway/base/clock-fake';
import { Attempts } from '@fairway/kube/controller/attempts';
import { OpenStackError, type OpenStackErrorKind } from '@fairway/openstack/http/openstack-error';
import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { invalidArgument } from './call-error.ts';
import { toCallError } from './failure.ts';

function cloudError(kind: OpenStackErrorKind, message = 'words of the cloud'): OpenStackError {
  const call = { service: 'block-storage', method: 'POST', template: '/volumes', outcome: 'notDone' } as const;
  return new OpenStackError({ kind, message, ...call });
}

/** After these codes, external-provisioner still assumes that the volume may exist. */
const NON_FINAL_CODES = [
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.UNAVAILABLE,
  status.RESOURCE_EXHAUSTED,
  status.ABORTED,
];

describe('an error', () => {
  test.each([
    { kind: 'quotaExceeded', code: status.RESOURCE_EXHAUSTED },
    { kind: 'outOfCapacity', code: status.RESOURCE_EXHAUSTED },
    { kind: 'conflict', code: status.ABORTED },
    { kind: 'rateLimited', code: status.UNAVAILABLE },
    { kind: 'unauthorized', code: status.UNAVAILABLE },
    { kind: 'forbidden', code: status.UNAVAILABLE },
    { kind: 'unavailable', code: status.UNAVAILABLE },
    { kind: 'timeout', code: status.UNAVAILABLE },
    { kind: 'network', code: status.UNAVAILABLE },
  ] as const)('has a non-final code for $kind, because the volume may exist', ({ kind, code }) => {
    const callError = toCallError(cloudError(kind), 0);

    expect(callError).toMatchObject({ code, message: expect.stringContaining('words of the cloud') });
    expect(NON_FINAL_CODES).toContain(callError?.code);
  });

  test('reports the earliest retry time while it is backed off', async () => {
    const clock = new FakeClock();
    const attempts = new Attempts({ clock, random: () => 0.5, classify: () => ({ cause: 'c', isShared: false }) });
    const attempt = { kind: 'k', item: 'i' };
    await attempts.withBackoff(attempt, () => Promise.reject(cloudError('badRequest'))).catch(() => {});

    const second = await attempts.withBackoff(attempt, () => Promise.resolve('')).catch((error: unknown) => error);

    expect(toCallError(second, clock.now())).toMatchObject({
      code: status.FAILED_PRECONDITION,
      message: expect.stringMatching(/words of the cloud.*; it is retried in \d+ s at the earliest/),
    });
  });

  test('is returned unchanged if it is a CallError, but only logged if it is internal', () => {
    const refusal = invalidArgument('no');

    expect(toCallError(refusal, 0)).toBe(refusal);
    expect(toCallError(new TypeError('x is not a function'), 0)).toBeUndefined();
  });
});
