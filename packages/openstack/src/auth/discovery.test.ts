import { FakeClock } from '@fairway/base/clock-fake';
import { describe, expect, it } from 'vitest';
import type { HttpClient } from '../http/http-client.ts';
import { SERVICES } from '../services.ts';
import { Discovery } from './discovery.ts';

const NOVA = 'https://nova.example.com/v2.1';
const DAY_MS = 24 * 3_600_000;

function discoveryOf(clock: FakeClock, versionOf: () => object) {
  let calls = 0;
  const call = () => {
    calls += 1;
    const version = { id: 'v2.1', status: 'CURRENT', links: [], ...versionOf() };
    return Promise.resolve({ status: 200, headers: {}, body: JSON.stringify({ version }) });
  };
  const discovery = new Discovery({ call } as unknown as HttpClient, clock);
  return { ask: () => discovery.microversions('compute', NOVA, {}), calls: () => calls };
}

describe('discovery', () => {
  it('queries once a day, and then detects an upgrade', async () => {
    const clock = new FakeClock();
    let version = '2.90';
    const { ask, calls } = discoveryOf(clock, () => ({ version, min_version: '2.1' }));

    await Promise.all([ask(), ask()]);
    version = '2.96';
    await clock.advance(DAY_MS - 1);
    expect(await ask()).toEqual({ min: '2.1', max: '2.90' });
    expect(calls()).toBe(1);

    await clock.advance(1);
    expect(await ask()).toEqual({ min: '2.1', max: '2.96' });
    expect(calls()).toBe(2);
  });

  it.each(['latest', '2', '2.x', '%(version)s', '../2.1', '2.1\r\nx: y', '2.99999999999'])(
    'does not remember %j as a microversion',
    async (wrong) => {
      let version = wrong;
      const { ask } = discoveryOf(new FakeClock(), () => ({ version, min_version: '2.1' }));

      await expect(ask()).rejects.toThrow(`${NOVA} returned invalid microversions`);
      version = '2.96';
      expect(await ask()).toEqual({ min: '2.1', max: '2.96' });
    },
  );

  it('repeats the discovery of an endpoint without a version after a day', async () => {
    const clock = new FakeClock();
    let id = 'v2.1';
    const call = () =>
      Promise.resolve({
        status: 200,
        headers: {},
        body: JSON.stringify({ versions: [{ id, status: 'CURRENT', links: [] }] }),
      });
    const discovery = new Discovery({ call } as unknown as HttpClient, clock);
    const compute = SERVICES.find(({ type }) => type === 'compute');
    if (compute === undefined) throw new Error('no compute');

    expect(await discovery.versionedUrl(compute, 'https://nova.example.com')).toBe(NOVA);
    id = 'v9';
    await clock.advance(DAY_MS);
    await expect(discovery.versionedUrl(compute, 'https://nova.example.com')).rejects.toThrow(/only: v9/);
  });
});
