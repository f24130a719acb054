import { actionRequiredBy } from '@fairway/api/conditions';
import { TransportError } from '@fairway/kube/client/transport';
import { BackoffError } from '@fairway/kube/controller/attempts';
import { conflict, forbidden } from '@fairway/kube/object/api-error';
import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import { describe, expect, test } from 'vitest';
import { wrapTenantError } from '../connection/tenant-problem.ts';
import { endsPass, failureOf, type Party } from './failure.ts';
import { ProblemError } from './problem-error.ts';
import { wrapRuntimeError } from './runtime-problem.ts';

const NOW_MS = 1_000_000;
const refused = forbidden({ group: 'fairway.dev', resource: 'machines', name: 'demo-general-x7k2p' }, 'no more');
const unreachable = new TransportError('connect ECONNREFUSED');
const fullDisk = Object.assign(new Error("ENOSPC: no space left on device, open '/home/x/tmp-1234'"), {
  code: 'ENOSPC',
});

async function classify(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => error);
}

function quota(): OpenStackError {
  return new OpenStackError({
    kind: 'quotaExceeded',
    service: 'compute',
    method: 'POST',
    template: '/servers',
    message: 'Quota exceeded for cores',
    outcome: 'notDone',
  });
}

describe('the classification of an error', () => {
  test.each<{ of: string; error: () => unknown; party: Party; turn: string; message: RegExp }>([
    {
      of: 'the cloud',
      error: quota,
      party: 'cloud',
      turn: 'user',
      message: /^compute: Quota exceeded for cores; free/,
    },
    {
      of: 'a server that failed',
      error: () => new ProblemError({ reason: 'ServerFailed', message: 'it failed' }),
      party: 'cloud',
      turn: 'cloud',
      message: /^it failed$/,
    },
    {
      of: "the tenant's API server, which refuses a request",
      error: () => classify(wrapTenantError(Promise.reject(refused))),
      party: 'tenantApi',
      turn: 'operator',
      message: /^the cluster's API server rejects Fairway's request: /,
    },
    {
      of: "the tenant's API server, which is unavailable",
      error: () => classify(wrapTenantError(Promise.reject(unreachable))),
      party: 'tenantApi',
      turn: 'operator',
      message: /^the cluster's API server cannot be reached; Fairway retries/,
    },
    {
      of: 'the runtime, whose disk is full',
      error: () => classify(wrapRuntimeError(Promise.reject(fullDisk))),
      party: 'controlPlaneRuntime',
      turn: 'operator',
      message: /^the control plane runtime failed: no space left on its disk/,
    },
    {
      of: "Fairway's own API, which refuses a request: without the name, which differs at each attempt",
      error: () => refused,
      party: 'fairwayApi',
      turn: 'operator',
      message: /^Fairway's own API rejected the request: machines.fairway.dev is forbidden: no more$/,
    },
    {
      of: "Fairway's own API, which is unavailable",
      error: () => unreachable,
      party: 'fairwayApi',
      turn: 'operator',
      message: /^Fairway's own API does not respond$/,
    },
    {
      of: 'Fairway itself',
      error: () => new TypeError('x is undefined'),
      party: 'fairway',
      turn: 'operator',
      message: /^internal error \(TypeError\)/,
    },
  ])('for $of', async ({ error, party, turn, message }) => {
    const failure = failureOf(await error(), NOW_MS);

    expect(failure).toMatchObject({ party, message: expect.stringMatching(message) });
    expect(actionRequiredBy(failure.reason)).toBe(turn);
  });

  test('reports a phase in backoff with its last failure and the next attempt', () => {
    const failure = failureOf(new BackoffError(quota(), NOW_MS + 5_000), NOW_MS);

    expect(failure).toMatchObject({ reason: 'QuotaExceeded', party: 'cloud', retryAfterMs: 5_001 });
  });

  test("ends the pass for a conflict from Fairway's own API, but not for one from a tenant's", async () => {
    const error = conflict({ resource: 'nodes', name: 'n' }, 'it is newer');

    expect(endsPass(error)).toBe(true);
    expect(endsPass(await classify(wrapTenantError(Promise.reject(error))))).toBe(false);
  });
});
