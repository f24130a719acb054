import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_LATENCY, operationDuration, pickDurationMs, REALISTIC_LATENCY } from '../../http/latency.ts';
import { startTestCloud, type TestCloud, untilClockWaits } from '../../test-cloud.ts';
import { makeServer, showServer } from '../../test-resources.ts';

describe('operationDuration', () => {
  it.each([
    ['identity', 'POST', '/v3/auth/tokens', 70],
    ['identity', 'GET', '/v3/projects', 20],
    ['network', 'POST', '/v2.0/networks', 80],
    ['network', 'PUT', '/v2.0/routers/{id}/add_router_interface', 1070],
    ['network', 'GET', '/v2.0/ports', 50],
    ['control', 'GET', '/faults', 0],
  ])('%s %s %s takes %i ms', (service, method, template, expected) => {
    expect(operationDuration(REALISTIC_LATENCY, service, method, template)).toBe(expected);
  });

  it('spreads a range evenly', () => {
    expect([0, 0.5, 0.999].map((r) => pickDurationMs([100, 200], () => r))).toEqual([100, 150, 200]);
  });
});

describe('a slow cloud', () => {
  let test: TestCloud;
  beforeAll(async () => {
    // The API itself has no latency, so the test does not have to advance the clock during each call.
    test = await startTestCloud({ latency: { ...REALISTIC_LATENCY, operations: {} } });
  });
  afterAll(() => test.cloud.close());

  it('takes a server through its task states to ACTIVE in 20 to 40 s', async () => {
    const { demo, clock } = test;
    const server = await makeServer(demo);
    const seen: string[] = [];

    let seconds = 0;
    for (; seconds <= 42 && seen.at(-1) !== 'ACTIVE/null'; seconds++) {
      const { status, 'OS-EXT-STS:task_state': taskState } = await showServer(demo, server.id);
      const state = `${String(status)}/${String(taskState)}`;
      if (seen.at(-1) !== state) seen.push(state);
      await clock.advance(1000);
    }

    expect(seconds).toBeGreaterThan(19);
    expect(seen).toEqual(['BUILD/scheduling', 'BUILD/networking', 'BUILD/spawning', 'ACTIVE/null']);
  });

  it('delays an operation using the cloud’s clock', async () => {
    const slowCloud = await startTestCloud({
      latency: { ...NO_LATENCY, operations: { 'network GET /v2.0/networks': 150 } },
    });
    let hasResponded = false;
    const pending = slowCloud.demo.call('GET', '/network/v2.0/networks').then(() => {
      hasResponded = true;
    });
    await untilClockWaits(slowCloud.clock);
    await slowCloud.clock.advance(149);
    const early = hasResponded;
    await slowCloud.clock.advance(1);
    await pending;
    await slowCloud.cloud.close();

    expect(early).toBe(false);
  });
});
