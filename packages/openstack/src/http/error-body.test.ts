import { describe, expect, it } from 'vitest';
import { readErrorBody } from './error-body.ts';
import { errorKind, outcomeOf } from './error-kind.ts';
import type { OpenStackErrorKind } from './openstack-error.ts';

interface Case {
  readonly from: string;
  readonly status: number;
  readonly contentType?: string;
  readonly body: string;
  readonly kind: OpenStackErrorKind;
  readonly message: string;
  readonly retryAfterMs?: number;
}

const json = 'application/json';

/** Bodies as sent by services, their middleware and common proxies. */
const CASES: readonly Case[] = [
  {
    from: 'Nova, bad input',
    status: 400,
    contentType: 'application/json; charset=UTF-8',
    body: '{"badRequest": {"code": 400, "message": "Invalid input for field/attribute name. Value: . \'\' is too short"}}',
    kind: 'badRequest',
    message: "Invalid input for field/attribute name. Value: . '' is too short",
  },
  {
    from: 'Nova, quota of cores',
    status: 403,
    contentType: json,
    body: '{"forbidden": {"code": 403, "message": "Quota exceeded for cores, ram: Requested 8, 30000, but already used 16, 60000 of 20, 65536 cores, ram"}}',
    kind: 'quotaExceeded',
    message: 'Quota exceeded for cores, ram: Requested 8, 30000, but already used 16, 60000 of 20, 65536 cores, ram',
  },
  {
    from: 'Nova, quota of members of a server group',
    status: 403,
    contentType: json,
    body: '{"forbidden": {"code": 403, "message": "Quota exceeded, too many servers in group"}}',
    kind: 'quotaExceeded',
    message: 'Quota exceeded, too many servers in group',
  },
  {
    from: 'Barbican, quota of secrets',
    status: 403,
    contentType: 'application/json',
    body: '{"code": 403, "title": "Forbidden", "description": "Secret creation issue seen - Creation not allowed because a quota has been reached."}',
    kind: 'quotaExceeded',
    message: 'Secret creation issue seen - Creation not allowed because a quota has been reached.',
  },
  {
    from: "Nova, Neutron's quota of ports",
    status: 403,
    contentType: json,
    body: '{"forbidden": {"code": 403, "message": "Maximum number of ports exceeded"}}',
    kind: 'quotaExceeded',
    message: 'Maximum number of ports exceeded',
  },
  {
    from: 'Nova, policy',
    status: 403,
    contentType: json,
    body: '{"forbidden": {"code": 403, "message": "Policy doesn\'t allow os_compute_api:servers:create to be performed."}}',
    kind: 'forbidden',
    message: "Policy doesn't allow os_compute_api:servers:create to be performed.",
  },
  {
    from: 'Nova, no such server',
    status: 404,
    contentType: json,
    body: '{"itemNotFound": {"code": 404, "message": "Instance 7a9f could not be found."}}',
    kind: 'notFound',
    message: 'Instance 7a9f could not be found.',
  },
  {
    from: 'Nova, busy server',
    status: 409,
    contentType: json,
    body: '{"conflictingRequest": {"code": 409, "message": "Cannot \'reboot\' instance 7a9f while it is in task_state rebooting"}}',
    kind: 'conflict',
    message: "Cannot 'reboot' instance 7a9f while it is in task_state rebooting",
  },
  {
    from: 'Nova, no host',
    status: 400,
    contentType: json,
    body: '{"badRequest": {"code": 400, "message": "No valid host was found. There are not enough hosts available."}}',
    kind: 'outOfCapacity',
    message: 'No valid host was found. There are not enough hosts available.',
  },
  {
    from: 'Nova, unknown microversion',
    status: 406,
    contentType: json,
    body: '{"computeFault": {"code": 406, "message": "Version 2.999 is not supported by the API. Minimum is 2.1 and maximum is 2.93."}}',
    kind: 'badRequest',
    message: 'Version 2.999 is not supported by the API. Minimum is 2.1 and maximum is 2.93.',
  },
  {
    from: 'Nova, an old form of rate limiting',
    status: 413,
    contentType: json,
    body: '{"overLimit": {"code": 413, "message": "This request was rate-limited.", "retryAfter": "8"}}',
    retryAfterMs: 8000,
    kind: 'rateLimited',
    message: 'This request was rate-limited.',
  },
  {
    from: 'Neutron, quota',
    status: 409,
    contentType: json,
    body: '{"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: [\'network\'].", "detail": ""}}',
    kind: 'quotaExceeded',
    message: "Quota exceeded for resources: ['network'].",
  },
  {
    from: 'Neutron, network in use',
    status: 409,
    contentType: json,
    body: '{"NeutronError": {"type": "NetworkInUse", "message": "Unable to complete operation on network 9c. There are one or more ports still in use on the network.", "detail": ""}}',
    kind: 'conflict',
    message: 'Unable to complete operation on network 9c. There are one or more ports still in use on the network.',
  },
  {
    from: 'Neutron, exhausted subnet',
    status: 409,
    contentType: json,
    body: '{"NeutronError": {"type": "IpAddressGenerationFailure", "message": "No more IP addresses available on network 9c.", "detail": ""}}',
    kind: 'outOfCapacity',
    message: 'No more IP addresses available on network 9c.',
  },
  {
    from: 'Neutron, exhausted floating IPs',
    status: 400,
    contentType: json,
    body: '{"NeutronError": {"type": "ExternalIpAddressExhausted", "message": "Unable to find any IP address on external network 5d.", "detail": ""}}',
    kind: 'outOfCapacity',
    message: 'Unable to find any IP address on external network 5d.',
  },
  {
    from: 'Neutron, interface that already exists',
    status: 400,
    contentType: json,
    body: '{"NeutronError": {"type": "BadRequest", "message": "Bad router request: Router already has a port on subnet 42.", "detail": ""}}',
    kind: 'conflict',
    message: 'Bad router request: Router already has a port on subnet 42.',
  },
  {
    from: 'Neutron, concurrent change',
    status: 412,
    contentType: json,
    body: '{"NeutronError": {"type": "RevisionNumberConstraintFailed", "message": "Constrained to 1, but current revision is 2", "detail": ""}}',
    kind: 'conflict',
    message: 'Constrained to 1, but current revision is 2',
  },
  {
    from: 'Neutron, plain text',
    status: 500,
    contentType: json,
    body: '{"NeutronError": "Request Failed: internal server error while processing your request."}',
    kind: 'unavailable',
    message: 'Request Failed: internal server error while processing your request.',
  },
  {
    from: 'Keystone',
    status: 401,
    contentType: json,
    body: '{"error":{"code":401,"message":"The request you have made requires authentication.","title":"Unauthorized"}}',
    kind: 'unauthorized',
    message: 'The request you have made requires authentication.',
  },
  {
    from: 'keystonemiddleware',
    status: 401,
    contentType: json,
    body: '{"error": {"code": 401, "title": "Unauthorized", "message": "The request you have made requires authentication."}}',
    kind: 'unauthorized',
    message: 'The request you have made requires authentication.',
  },
  {
    from: 'Glance, HTML',
    status: 404,
    contentType: 'text/html; charset=UTF-8',
    body: '<html>\n <head>\n  <title>404 Not Found</title>\n </head>\n <body>\n  <h1>404 Not Found</h1>\n  No image found with ID 7a9f&#x27;s<br /><br />\n\n\n\n </body>\n</html>',
    kind: 'notFound',
    message: "No image found with ID 7a9f's",
  },
  {
    from: 'Octavia, quota',
    status: 403,
    contentType: json,
    body: '{"faultcode": "Client", "faultstring": "Quota has been met for resources: Load Balancer", "debuginfo": null}',
    kind: 'quotaExceeded',
    message: 'Quota has been met for resources: Load Balancer',
  },
  {
    from: 'Cinder, quota',
    status: 413,
    contentType: json,
    body: '{"overLimit": {"code": 413, "message": "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota \'volumes\'.", "retryAfter": "0"}}',
    retryAfterMs: 0,
    kind: 'quotaExceeded',
    message: "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'.",
  },
  {
    from: 'Manila, largest share',
    status: 413,
    contentType: json,
    body: '{"overLimit": {"code": 413, "message": "ShareSizeExceedsLimit: Requested share size 5 is larger than maximum allowed limit 1.", "retryAfter": "0"}}',
    retryAfterMs: 0,
    kind: 'quotaExceeded',
    message: 'ShareSizeExceedsLimit: Requested share size 5 is larger than maximum allowed limit 1.',
  },
  {
    from: 'Placement',
    status: 409,
    contentType: json,
    body: '{"errors": [{"status": 409, "title": "Conflict", "detail": "There was a conflict when trying to complete your request.", "code": "placement.concurrent_update", "request_id": "req-1"}]}',
    kind: 'conflict',
    message: 'There was a conflict when trying to complete your request.',
  },
  {
    from: 'HAProxy',
    status: 503,
    contentType: 'text/html',
    body: '<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n',
    kind: 'unavailable',
    message: 'No server is available to handle this request.',
  },
  {
    from: 'a rate-limiting proxy',
    status: 429,
    body: '',
    kind: 'rateLimited',
    message: 'no explanation with status 429',
  },
  {
    from: 'a service behind a wrong content type',
    status: 400,
    contentType: 'text/plain',
    body: '{"badRequest": {"code": 400, "message": "Invalid."}}',
    kind: 'badRequest',
    message: 'Invalid.',
  },
  {
    from: 'a service that breaks off its response',
    status: 500,
    contentType: json,
    body: '{"computeFault": {"co',
    kind: 'unavailable',
    message: '{"computeFault": {"co',
  },
];

describe('error bodies', () => {
  it.each(CASES)(
    'classifies $status from $from as $kind',
    ({ status, contentType, body, kind, message, retryAfterMs }) => {
      const error = readErrorBody(status, contentType, body);

      expect(error.message).toBe(message);
      expect(errorKind(status, error, retryAfterMs)).toBe(kind);
    },
  );

  it('truncates a page of text', () => {
    expect(readErrorBody(500, 'text/plain', 'x'.repeat(10_000)).message).toHaveLength(501);
  });

  it.each([
    { reason: 'a message', body: JSON.stringify({ NeutronError: { type: 'Conflict', message: 'x'.repeat(60_000) } }) },
    { reason: 'a body', body: JSON.stringify({ NeutronError: { type: 'Conflict', message: 'x'.repeat(9_000_000) } }) },
    { reason: 'a page', body: `<html>${'<p>x</p>'.repeat(1_000_000)}` },
  ])('reports the beginning of $reason without an end', ({ body }) => {
    const { message } = readErrorBody(409, 'application/json', body);
    expect(message.length).toBeLessThanOrEqual(2_001);
    expect(message).toMatch(/x ?…$/);
  });
});

describe('the outcome of a failed call', () => {
  it.each([
    { method: 'GET', status: 500, outcome: 'notDone', reason: 'a read has no effect' },
    { method: 'POST', status: 409, outcome: 'notDone', reason: 'a refusal' },
    { method: 'POST', status: 408, outcome: 'unknown', reason: 'a proxy timed out' },
    { method: 'POST', status: 501, outcome: 'notDone', reason: 'the service can’t do it' },
    { method: 'POST', status: 500, outcome: 'unknown', reason: 'the service may have failed after the work was done' },
    { method: 'DELETE', status: 504, outcome: 'unknown', reason: 'a proxy timed out' },
    { method: 'POST', status: 503, outcome: 'unknown', reason: 'the work may have been done partially' },
    { method: 'POST', status: 503, retryAfterMs: 1000, outcome: 'notDone', reason: 'Retry-After was sent' },
  ] as const)('is $outcome for $method with $status: $reason', (row) => {
    expect(outcomeOf(row.method, row.status, 'retryAfterMs' in row ? row.retryAfterMs : undefined)).toBe(row.outcome);
  });
});
