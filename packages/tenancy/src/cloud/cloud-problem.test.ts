import { OpenStackError, type OpenStackErrorOptions } from '@fairway/openstack/http/openstack-error';
import { TransportError } from '@fairway/openstack/http/transport';
import { expect, test } from 'vitest';
import { cloudProblemOf } from './cloud-problem.ts';

const base = { service: 'compute', method: 'POST', template: '/servers', outcome: 'notDone' } as const;
const REQUEST = 'req-0d1b8e9c-7a6f-4b3c-9a51-2f4f6f1f0a77';

test.each<{ reason: string; first: Partial<OpenStackErrorOptions>; second: Partial<OpenStackErrorOptions> }>([
  {
    reason: 'the ID of the request',
    first: { kind: 'quotaExceeded', message: 'Quota exceeded', requestId: REQUEST },
    second: { kind: 'quotaExceeded', message: 'Quota exceeded', requestId: 'req-other' },
  },
  {
    reason: 'the ID of the request in the service’s message',
    first: { kind: 'unavailable', message: `Unexpected API Error. (HTTP 500) (Request-ID: ${REQUEST})` },
    second: {
      kind: 'unavailable',
      message: `Unexpected API Error. (HTTP 500) (Request-ID: ${REQUEST.replace('0d', 'ff')})`,
    },
  },
  {
    reason: 'the length of the wait',
    first: { kind: 'timeout', message: 'no response within 60000 ms' },
    second: { kind: 'timeout', message: 'no response within 58123 ms' },
  },
  {
    reason: 'the way the connection ended',
    first: { kind: 'network', message: 'other side closed', cause: lost('UND_ERR_SOCKET') },
    second: { kind: 'network', message: 'read ECONNRESET', cause: lost('ECONNRESET') },
  },
])('$reason does not change the message', ({ first, second }) => {
  const [one, two] = [first, second].map((each) =>
    cloudProblemOf(new OpenStackError({ ...base, kind: 'unavailable', message: '', ...each }), 0),
  );

  expect(one).toEqual(two);
  expect(one?.message).toMatch(/^compute: ./);
});

test.each<{ error: Partial<OpenStackErrorOptions>; message: string }>([
  {
    error: { kind: 'network', cause: lost('CERT_HAS_EXPIRED') },
    message:
      'compute: Nova at nova.example:8774 cannot be reached while creating servers; Fairway retries at least every five minutes (its certificate cannot be verified: CERT_HAS_EXPIRED)',
  },
  {
    error: { kind: 'network', cause: lost('UND_ERR_SOCKET'), message: 'other side closed' },
    message:
      'compute: Nova at nova.example:8774 cannot be reached while creating servers; Fairway retries at least every five minutes (the connection was lost)',
  },
  {
    error: { kind: 'network', cause: lost('ECONNREFUSED'), method: 'GET', template: '/servers/detail' },
    message:
      'compute: Nova at nova.example:8774 cannot be reached while reading resources of the project; Fairway retries at least every five minutes (connection refused: ECONNREFUSED)',
  },
  {
    error: { kind: 'timeout', service: 'identity', template: '/v3/auth/tokens', host: 'keystone.example:5000' },
    message:
      'identity: Keystone at keystone.example:5000 did not respond in time while logging in; Fairway retries at least every five minutes',
  },
  {
    error: { kind: 'unavailable', status: 503, method: 'DELETE', template: '/v2.0/floatingips/{id}', message: 'down' },
    message:
      'compute: Nova at nova.example:8774 returned status 503 while deleting floating IPs; Fairway retries at least every five minutes (down)',
  },
  {
    error: { kind: 'rateLimited', message: 'slow down' },
    message: 'compute: Nova is rate limiting requests; Fairway retries at least every five minutes (slow down)',
  },
  {
    error: { kind: 'rateLimited', message: "not sent within 180000 ms: Fairway's budget for the cloud x is used up" },
    message: "compute: not sent within 180000 ms: Fairway's budget for the cloud x is used up",
  },
  {
    error: { kind: 'quotaExceeded', quotas: [{ resource: 'cores', requested: 2, used: 20, limit: 20 }] },
    message:
      'compute: quota exceeded for cores: 20 of 20 used, 2 more requested; free resources or request a larger quota; Fairway then continues automatically',
  },
])('$message', ({ error, message }) => {
  const host = 'nova.example:8774';

  expect(
    cloudProblemOf(new OpenStackError({ ...base, kind: 'network', host, message: '', ...error }), 0)?.message,
  ).toBe(message);
});

function lost(code: string): TransportError {
  return new TransportError('lost', { mayHaveArrived: true, cause: Object.assign(new Error('lost'), { code }) });
}
