import { OpenStackError, type OpenStackErrorOptions } from '@fairway/openstack/http/openstack-error';
import { TransportError } from '@fairway/openstack/http/transport';
import { expect, test } from 'vitest';
import { cloudProblemOf } from './cloud-problem.ts';

const base = { service: 'compute', method: 'POST', template: '/servers', outcome: 'notDone' } as const;
const REQUEST = 'req-0d1b8e9c-7a6f-4b3c-9a51-2f4f6f1f0a77';

test.each<{ reason: string; first: Partial<OpenStackErrorOptions>; second: Partial<OpenStackErrorOptions> }>([
  {
    reason: 'the id of the request',
    first: { kind: 'quotaExceeded', message: 'Quota exceeded', requestId: REQUEST },
    second: { kind: 'quotaExceeded', message: 'Quota exceeded', requestId: 'req-other' },
  },
  {
    reason: 'the id of a request in the words of the service',
    first: { kind: 'unavailable', message: `Unexpected API Error. (HTTP 500) (Request-ID: ${REQUEST})` },
    second: {
      kind: 'unavailable',
      message: `Unexpected API Error. (HTTP 500) (Request-ID: ${REQUEST.replace('0d', 'ff')})`,
    },
  },
  {
    reason: 'how long was waited',
    first: { kind: 'timeout', message: 'no answer within 60000 ms' },
    second: { kind: 'timeout', message: 'no answer within 58123 ms' },
  },
  {
    reason: 'how the connection ended',
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

test('a rejected certificate is reported: the operator can fix it', () => {
  const error = new OpenStackError({ ...base, kind: 'network', message: 'x', cause: lost('CERT_HAS_EXPIRED') });

  expect(cloudProblemOf(error, 0)?.message).toBe('compute: it cannot be reached: CERT_HAS_EXPIRED');
});

function lost(code: string): TransportError {
  return new TransportError('lost', { mayHaveArrived: true, cause: Object.assign(new Error('lost'), { code }) });
}
