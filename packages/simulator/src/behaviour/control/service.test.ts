import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listed, startTestCloud, type TestCloud, untilClockWaits } from '../../test-cloud.ts';
import { makeServer, serverFields, showServer } from '../../test-resources.ts';

let test: TestCloud;
beforeEach(async () => {
  test = await startTestCloud();
});
afterEach(() => test.cloud.close());

const NETWORKS_PATH = '/network/v2.0/networks';

async function armFault(fault: object): Promise<void> {
  const response = await test.admin.call('POST', '/_sim/faults', fault);
  expect(response.status).toBe(201);
}

async function countNetworks(): Promise<number> {
  return listed(await test.demo.call('GET', `${NETWORKS_PATH}?router:external=false`), 'networks').length;
}

const create = () => test.demo.call('POST', NETWORKS_PATH, { network: { name: 'n' } });

describe('an error response', () => {
  it.each([
    [500, 'network', { NeutronError: { type: 'HTTPInternalServerError' } }],
    [503, 'network', { NeutronError: { type: 'ServiceUnavailable' } }],
    [409, 'network', { NeutronError: { type: 'Conflict' } }],
  ])('has status %i in the format of %s, and the request is not executed', async (status, service, body) => {
    await armFault({ service, method: 'POST', action: { kind: 'answer', status } });

    const response = await create();

    expect(response.status).toBe(status);
    expect(response.body).toMatchObject(body);
    expect(await countNetworks()).toBe(0);
    expect((await create()).status).toBe(201);
  });

  it('has a Retry-After header if its status is 429', async () => {
    await armFault({ service: 'compute', action: { kind: 'answer', status: 429, retryAfterSeconds: 7 } });

    const response = await test.demo.call('GET', '/compute/v2.1/servers');

    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(response.body).toMatchObject({ overLimit: { code: 429 } });
  });

  it('keeps the changes of a request that was executed first', async () => {
    await armFault({ service: 'network', method: 'POST', action: { kind: 'answer', status: 500, when: 'after' } });

    expect((await create()).status).toBe(500);
    expect(await countNetworks()).toBe(1);
  });
});

describe('a dropped connection', () => {
  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)('leaves %i networks if the connection is dropped %s execution', async (when, expected) => {
    await armFault({ service: 'network', method: 'POST', action: { kind: 'drop', when } });

    await expect(create()).rejects.toThrow('fetch failed');
    expect(await countNetworks()).toBe(expected);
  });
});

describe('a delay', () => {
  it('after execution delays only the response', async () => {
    await armFault({ service: 'network', method: 'POST', action: { kind: 'delay', delayMs: 60_000, when: 'after' } });
    const aborter = new AbortController();

    const pending = fetch(`${test.origin}${NETWORKS_PATH}`, {
      method: 'POST',
      headers: { 'X-Auth-Token': test.demo.token, 'Content-Type': 'application/json' },
      body: JSON.stringify({ network: { name: 'n' } }),
      signal: aborter.signal,
    });
    await untilClockWaits(test.clock);
    const countWhileWaiting = await countNetworks();
    aborter.abort();

    await expect(pending).rejects.toThrow('aborted');
    expect(countWhileWaiting).toBe(1);
  });
});

describe('the cloud itself', () => {
  it('fails only the next server, with the given fault', async () => {
    test.cloud.faults.add({ project: 'demo', action: { kind: 'serverError', message: 'Disk is on fire' } });

    const first = await makeServer(test.demo);
    const second = await makeServer(test.demo);
    await test.clock.advance(1);

    expect(await showServer(test.demo, first.id)).toMatchObject({
      status: 'ERROR',
      fault: { code: 500, message: 'Disk is on fire' },
    });
    expect(await showServer(test.demo, second.id)).toMatchObject({ status: 'ACTIVE' });
  });

  it('has no host for a flavor that is out of stock, until the fault is removed', async () => {
    const id = test.cloud.faults.add({ action: { kind: 'outOfStock', flavor: 'b3-8' } });
    const refused = await makeServer(test.demo);
    await test.clock.advance(1);
    test.cloud.faults.remove(id);
    const taken = await makeServer(test.demo);
    await test.clock.advance(1);

    expect(await showServer(test.demo, refused.id)).toMatchObject({
      status: 'ERROR',
      fault: { code: 500, message: 'No valid host was found. There are not enough hosts available.' },
    });
    expect(await showServer(test.demo, taken.id)).toMatchObject({ status: 'ACTIVE' });
  });

  it('changes quotas by the resource names of several services', async () => {
    const limits = { instances: 0, network: 0 };
    const response = await test.admin.call('PUT', '/_sim/quotas', { project: 'demo', limits });

    expect(response.status).toBe(204);
    expect((await create()).status).toBe(409);
    const server = await test.demo.call('POST', '/compute/v2.1/servers', { server: serverFields({ networks: [] }) });
    expect(server.status).toBe(403);
  });
});

describe('the control API', () => {
  it('is restricted to administrators', async () => {
    expect((await test.demo.call('GET', '/_sim/faults')).status).toBe(403);
    expect((await test.demo.call('GET', '/_sim/faults', undefined, { 'X-Auth-Token': 'x' })).status).toBe(401);
  });

  it('lists and removes faults', async () => {
    await armFault({ service: 'image', action: { kind: 'drop' } });
    const { body } = await test.admin.call('GET', '/_sim/faults');
    await test.admin.call('DELETE', '/_sim/faults');

    expect(body['faults']).toMatchObject([{ service: 'image', hits: 0, action: { kind: 'drop', when: 'before' } }]);
    expect(test.cloud.faults.list()).toEqual([]);
  });

  it('counts calls by user agent, project, method and template', async () => {
    test.cloud.calls.reset();
    await test.demo.call('GET', '/network/v2.0/networks/none', undefined, { 'User-Agent': 'fairway/1' });

    expect(test.cloud.calls.counts()).toEqual([
      {
        userAgent: 'fairway/1',
        projectId: test.demo.projectId,
        service: 'network',
        method: 'GET',
        template: '/v2.0/networks/{id}',
        count: 1,
        errors: 1,
      },
    ]);
  });

  it.each([
    [{ action: { kind: 'answer', status: 200 } }, 'a fault is an error'],
    [{ path: '(', action: { kind: 'drop' } }, 'no regular expression'],
    [{ action: { kind: 'explode' } }, 'no such fault'],
  ])('rejects %j: %s', async (fault, _reason) => {
    expect((await test.admin.call('POST', '/_sim/faults', fault)).status).toBe(400);
  });
});
