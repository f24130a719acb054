import { FakeClock } from '@fairway/base/clock-fake';
import { describe, expect, it } from 'vitest';
import { Cloud } from '../cloud.ts';
import type { HttpResponse, HttpTransport } from '../http/transport.ts';
import { ProjectCache } from './project-cache.ts';
import { ProjectCaches } from './project-caches.ts';

/** A cloud where every list is empty; counts what it is asked. */
function emptyCloud(clock: FakeClock) {
  const lists: string[] = [];
  const transport: HttpTransport = {
    async send({ url }): Promise<HttpResponse> {
      const { pathname } = new URL(url);
      if (pathname === '/v3/auth/tokens') return json(tokenBody(clock.now()), { 'x-subject-token': 't' });
      if (pathname === '/v2.1/') {
        return json({ version: { id: 'v2.1', status: 'CURRENT', version: '2.90', min_version: '2.1', links: [] } });
      }
      lists.push(pathname);
      const key =
        pathname
          .replace(/\/detail$/, '')
          .split('/')
          .at(-1) ?? '';
      return json({ [key.replace('os-', '').replaceAll('-', '_')]: [] });
    },
    close: () => Promise.resolve(),
  };
  const cloud = new Cloud({
    config: {
      name: 'empty',
      authUrl: 'http://cloud',
      credential: { kind: 'token', token: 'x', scope: { kind: 'default' } },
      region: undefined,
      interface: 'public',
      tls: { verify: true },
      endpointOverrides: { compute: 'http://cloud/v2.1', network: 'http://cloud/v2.0', image: 'http://cloud/v2' },
      computeMicroversion: undefined,
    },
    clock,
    random: () => 0.5,
    readFile: () => '',
    transport,
  });
  return { cloud, lists };
}

function json(body: object, headers: Record<string, string> = {}): HttpResponse {
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

function tokenBody(nowMs: number): object {
  const user = { id: 'u', name: 'u', domain: { id: 'd', name: 'd' } };
  const [issued_at, expires_at] = [nowMs, nowMs + 86_400_000].map((ms) => new Date(ms).toISOString());
  return { token: { methods: ['token'], user, issued_at, expires_at } };
}

const KINDS = [
  'servers',
  'serverGroups',
  'networks',
  'subnets',
  'routers',
  'ports',
  'securityGroups',
  'floatingIps',
  'flavors',
  'images',
] as const;

describe('ProjectCache', () => {
  it.each(KINDS)('lists %s alone when it alone is subscribed', async (kind) => {
    const clock = new FakeClock();
    const { cloud, lists } = emptyCloud(clock);
    const cache = new ProjectCache({ client: cloud.client(), clock, random: () => 0.5 });

    cache[kind].subscribe(() => {});
    await clock.advance(0);

    expect(lists).toHaveLength(1);
    expect(cache[kind].snapshot()).toMatchObject({ items: new Map(), listedAtMs: clock.now() });
    cache.stop();
  });

  it('costs less than three lists a minute while nothing happens, for a hundred clusters', async () => {
    const clock = new FakeClock();
    const { cloud, lists } = emptyCloud(clock);
    const cache = new ProjectCache({ client: cloud.client(), clock, random: () => 0.5, budget: cloud.budget });
    for (let cluster = 0; cluster < 100; cluster++) for (const kind of KINDS) cache[kind].subscribe(() => {});
    await clock.advance(0);
    lists.length = 0;

    await clock.advance(60 * 60_000);

    expect(lists.length / 60).toBeLessThan(3);
    cache.stop();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('ProjectCaches', () => {
  it('shares a project’s cache until the last user releases it', () => {
    const clock = new FakeClock();
    const { cloud } = emptyCloud(clock);
    const made: string[] = [];
    const caches = new ProjectCaches({
      create: (projectId) => {
        made.push(projectId);
        return new ProjectCache({ client: cloud.client(), clock, random: () => 0.5 });
      },
    });

    const [one, other, foreign] = [caches.acquire('p'), caches.acquire('p'), caches.acquire('q')];

    expect(one.cache).toBe(other.cache);
    expect(foreign.cache).not.toBe(one.cache);
    one.release();
    one.release();
    expect(caches.acquire('p').cache).toBe(one.cache);
    expect(made).toEqual(['p', 'q']);
  });
});
