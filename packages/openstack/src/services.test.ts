import { FakeClock } from '@fairway/base/clock-fake';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { CachedKind } from './cache/cached-kind.ts';
import { ProjectCache } from './cache/project-cache.ts';
import type { ResourceCache } from './cache/resource-cache.ts';
import { Cloud } from './cloud.ts';
import type { HttpResponse, HttpTransport } from './http/transport.ts';
import type { ClientService } from './service.ts';
import type { ServiceApi } from './service-api.ts';
import { SERVICES } from './services.ts';

const Kettle = z.object({ id: z.string() });
type Kettle = z.infer<typeof Kettle>;

class Kitchen {
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
  }

  async *kettles(): AsyncGenerator<Kettle> {
    yield* (await this.#api.get(z.object({ kettles: z.array(Kettle) }), '/kettles')).kettles;
  }
}

const kettles: CachedKind<Kitchen, Kettle> = { list: (kitchen) => kitchen.kettles() };

/** Everything needed to add a service. */
const kitchenService = {
  type: 'kitchen',
  project: 'Samovar',
  aliases: ['kitchenv2'],
  majorVersion: /^v2$/,
  microversions: { name: 'tea', wanted: '2.7' },
  clientName: 'kitchen',
  client: (api: ServiceApi) => new Kitchen(api),
  cached: { kettles },
} as const satisfies ClientService;

test('an entry in the list is enough for a service to be discovered, called with its microversion and cached', async () => {
  const clock = new FakeClock();
  const sent: { readonly url: string; readonly version: string | undefined }[] = [];
  const services = [...SERVICES, kitchenService];
  const cloud = new Cloud({
    config: {
      name: 'home',
      authUrl: 'http://cloud/identity',
      credential: { kind: 'token', token: 'x', scope: { kind: 'default' } },
      region: undefined,
      interface: 'public',
      tls: { verify: true },
      endpointOverrides: {},
      computeMicroversion: undefined,
    },
    clock,
    random: () => 0.5,
    readFile: () => '',
    transport: kitchenCloud(clock, (url, version) => sent.push({ url, version })),
    services,
  });
  const client = cloud.client();

  const cache = new ProjectCache({ client, clock, random: () => 0.5, services });
  const { kettles: cached } = cache as unknown as { readonly kettles: ResourceCache<Kettle> };
  const refreshed = cached.refreshAfter(clock.now());
  await clock.advance(10);
  const { items } = await refreshed;

  expect([...items.keys()]).toEqual(['black', 'green']);
  // The catalog uses its old type, its root document links to version 2, and it supports microversions up to 2.5.
  expect(sent.at(-1)).toEqual({ url: 'http://cloud/kitchen/v2/kettles', version: 'tea 2.5' });
  cache.stop();
});

test('service types, client names and cached kinds are unique', () => {
  const withClient = SERVICES.filter((service) => 'clientName' in service);
  for (const names of [
    SERVICES.flatMap((service) => [service.type, ...('aliases' in service ? service.aliases : [])]),
    withClient.map(({ clientName }) => clientName),
    withClient.flatMap(({ cached }) => Object.keys(cached)),
  ]) {
    expect(new Set(names).size).toBe(names.length);
  }
});

function kitchenCloud(clock: FakeClock, onSent: (url: string, version: string | undefined) => void): HttpTransport {
  const version = { id: 'v2', status: 'CURRENT', min_version: '2.0', max_version: '2.5' };
  const links = [{ rel: 'self', href: 'http://behind-the-proxy/v2/' }];
  const responses: Readonly<Record<string, object>> = {
    '/kitchen/': { versions: [{ ...version, links }] },
    '/kitchen/v2/': { version: { ...version, links } },
    '/kitchen/v2/kettles': { kettles: [{ id: 'black' }, { id: 'green' }] },
  };
  return {
    async send({ url, headers }): Promise<HttpResponse> {
      const { pathname } = new URL(url);
      if (pathname.endsWith('/auth/tokens')) return json(tokenBody(clock.now()), { 'x-subject-token': 't' });
      onSent(url, headers['openstack-api-version']);
      return json(responses[pathname] ?? {});
    },
    close: () => Promise.resolve(),
  };
}

function json(body: object, headers: Record<string, string> = {}): HttpResponse {
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

function tokenBody(nowMs: number): object {
  const user = { id: 'u', name: 'u', domain: { id: 'd', name: 'd' } };
  const [issued_at, expires_at] = [nowMs, nowMs + 86_400_000].map((ms) => new Date(ms).toISOString());
  const endpoint = { id: 'e', interface: 'public', region: 'R', region_id: 'R', url: 'http://cloud/kitchen' };
  const catalog = [{ id: 's', type: 'kitchenv2', name: 'samovar', endpoints: [endpoint] }];
  return { token: { methods: ['token'], user, issued_at, expires_at, catalog } };
}
