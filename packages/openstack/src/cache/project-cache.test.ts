import { FakeClock } from '@fairway/base/clock-fake';
import { describe, expect, it } from 'vitest';
import { Cloud } from '../cloud.ts';
import type { HttpResponse, HttpTransport } from '../http/transport.ts';
import { ProjectCache } from './project-cache.ts';

interface Login {
  readonly projectId: string;
  readonly roles?: readonly string[];
  /** Whether its lists fail. */
  readonly isRefused: boolean;
}

/** A cloud where every list is empty, except for `contents`; counts calls. `loginOf` maps each token to its login. */
function emptyCloud(
  clock: FakeClock,
  loginOf: (token: string) => Login = () => ({ projectId: 'p', isRefused: false }),
  contents: Readonly<Record<string, readonly object[]>> = {},
) {
  const lists: string[] = [];
  const transport: HttpTransport = {
    async send({ url, headers, body }): Promise<HttpResponse> {
      const { pathname } = new URL(url);
      if (pathname === '/v3/auth/tokens') {
        const { token } = JSON.parse(String(body)).auth.identity;
        return json(tokenBody(clock.now(), loginOf(token.id)), { 'x-subject-token': token.id });
      }
      if (pathname === '/v2.1/') {
        return json({ version: { id: 'v2.1', status: 'CURRENT', version: '2.90', min_version: '2.1', links: [] } });
      }
      if (loginOf(headers['x-auth-token'] ?? '').isRefused) return { ...json({}), status: 403 };
      lists.push(pathname);
      const key =
        pathname
          .replace(/\/detail$/, '')
          .split('/')
          .at(-1) ?? '';
      const list = key.replace('os-', '').replaceAll('-', '_');
      return json({ [list]: contents[list] ?? [] });
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

function tokenBody(nowMs: number, { projectId, roles = ['member'] }: Login): object {
  const user = { id: 'u', name: 'u', domain: { id: 'd', name: 'd' } };
  const [issued_at, expires_at] = [nowMs, nowMs + 86_400_000].map((ms) => new Date(ms).toISOString());
  const project = { id: projectId, name: projectId, domain: user.domain };
  const held = roles.map((name) => ({ id: name, name }));
  return { token: { methods: ['token'], user, project, roles: held, issued_at, expires_at } };
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
  it.each(KINDS)('lists only %s if nothing else is subscribed', async (kind) => {
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

describe('two credentials for one project', () => {
  const HOUR_MS = 60 * 60_000;

  /** Caches for two logins to one cloud; lists of the second fail while `isRefused`. */
  function twoCaches(projects: readonly [string, string]) {
    const clock = new FakeClock();
    const refused = { isRefused: false };
    const { cloud, lists } = emptyCloud(clock, (token) => ({
      projectId: token === 'a' ? projects[0] : projects[1],
      isRefused: token === 'b' && refused.isRefused,
    }));
    const [mine, yours] = ['a', 'b'].map((token) => {
      const client = cloud.client({ kind: 'token', token, scope: { kind: 'default' } });
      const cache = new ProjectCache({ client, clock, random: Math.random, groups: cloud.listGroups });
      cache.servers.subscribe(() => {});
      return cache;
    }) as [ProjectCache, ProjectCache];
    return { clock, lists, mine, yours, refused };
  }

  it('cost as many lists as one credential', async () => {
    const { clock, lists, mine, yours } = twoCaches(['p', 'p']);
    await clock.advance(1_000);
    expect(lists).toHaveLength(2);

    await clock.advance(HOUR_MS);

    // One hour with one list per minute, a little less for the jitter.
    expect(lists.length).toBeLessThanOrEqual(2 + 64);
    expect(yours.servers.snapshot().listedAtMs).toBe(mine.servers.snapshot().listedAtMs);
    mine.stop();
    yours.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('cost twice as many calls for two projects', async () => {
    const { clock, lists } = twoCaches(['p', 'q']);

    await clock.advance(HOUR_MS);

    expect(lists.length).toBeGreaterThanOrEqual(2 * 57);
  });

  it('keep listing with the remaining credential', async () => {
    const { clock, lists, mine, yours } = twoCaches(['p', 'p']);
    await clock.advance(1_000);
    mine.stop();
    lists.length = 0;

    await clock.advance(HOUR_MS);

    expect(lists.length).toBeGreaterThanOrEqual(57);
    expect(yours.servers.snapshot().listedAtMs).toBeGreaterThan(clock.now() - 64_000);
  });

  it('serve a waiter with the list of whichever cache is faster', async () => {
    const { clock, lists, mine, yours } = twoCaches(['p', 'p']);
    await clock.advance(1_000);
    lists.length = 0;

    const waiting = [mine, yours].map((cache) => cache.servers.refreshAfter(clock.now()));
    await clock.advance(10);

    await Promise.all(waiting);
    expect(lists).toHaveLength(1);
  });

  it('do not share lists once one of them is rejected', async () => {
    const { clock, mine, yours, refused } = twoCaches(['p', 'p']);
    await clock.advance(1_000);
    const known = yours.servers.snapshot().listedAtMs;
    refused.isRefused = true;

    const waiting = yours.servers.refreshAfter(clock.now()).catch((error: unknown) => error);
    await clock.advance(10);
    await clock.advance(HOUR_MS);

    expect(await waiting).toMatchObject({ kind: 'forbidden' });
    expect(yours.servers.snapshot()).toMatchObject({ listedAtMs: known, stale: { error: { kind: 'forbidden' } } });
    expect(mine.servers.snapshot().listedAtMs).toBeGreaterThan(clock.now() - 64_000);
  });
});

describe('a project that an administrator logs in to', () => {
  const network = (id: string, project_id: string, more: object = {}) => {
    return { id, name: id, status: 'ACTIVE', project_id, ...more };
  };
  const image = (id: string, owner: string, visibility: string) => {
    return { id, name: id, owner, visibility, status: 'active', created_at: '', updated_at: '' };
  };

  it('contains no networks, routers or images from other projects, except public ones', async () => {
    const clock = new FakeClock();
    const { cloud } = emptyCloud(clock, () => ({ projectId: 'p', roles: ['admin'], isRefused: false }), {
      networks: [
        network('own', 'p'),
        network('shared', 'q', { shared: true }),
        network('external', 'q', { 'router:external': true }),
        network('foreign', 'q'),
        network('older', '', { tenant_id: 'q' }),
      ],
      routers: [network('own', 'p'), network('foreign', 'q')],
      images: [
        image('own', 'p', 'private'),
        image('own-shared', 'p', 'shared'),
        image('public', 'q', 'public'),
        image('foreign', 'q', 'private'),
        // As created by `openstack image create`: not shared with any project.
        image('foreign-shared', 'q', 'shared'),
      ],
    });
    const cache = new ProjectCache({ client: cloud.client(), clock, random: () => 0.5 });
    for (const kind of ['networks', 'routers', 'images'] as const) cache[kind].subscribe(() => {});
    await clock.advance(1_000);
    const idsOf = (kind: 'networks' | 'routers' | 'images') => [...cache[kind].snapshot().items.keys()];

    expect(idsOf('networks')).toEqual(['own', 'shared', 'external']);
    expect(idsOf('routers')).toEqual(['own']);
    expect(idsOf('images')).toEqual(['own', 'own-shared', 'public']);
    cache.stop();
  });

  it('contains images that other projects share with it, unless the login is an administrator’s', async () => {
    const clock = new FakeClock();
    const { cloud } = emptyCloud(clock, undefined, { images: [image('shared-with-it', 'q', 'shared')] });
    const cache = new ProjectCache({ client: cloud.client(), clock, random: () => 0.5 });
    cache.images.subscribe(() => {});
    await clock.advance(1_000);

    expect([...cache.images.snapshot().items.keys()]).toEqual(['shared-with-it']);
    cache.stop();
  });
});
