import { FakeClock } from '@fairway/base/clock-fake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Credential } from '../../auth/credential.ts';
import { Cloud, type CloudOptions } from '../../cloud.ts';
import { compileCloud } from '../../config/compile-cloud.ts';
import { OpenStackError } from '../../http/openstack-error.ts';
import { type Behaviour, FakeServer, type ReceivedRequest } from '../../testing/fake-server.ts';

type PasswordLogin = Extract<Credential, { kind: 'password' }>;

const AUTH = {
  auth: {
    username: 'demo',
    password: 'secret',
    user_domain_name: 'Default',
    project_name: 'demo',
    project_domain_name: 'Default',
  },
};

/** A Keystone that issues `token-1`, `token-2`… and a Nova behind it; `answer` may override any response. */
describe('Session', () => {
  let clock: FakeClock;
  let server: FakeServer;
  let url: string;
  let tokens: number;
  let lifeMs: number;
  let respond: (request: ReceivedRequest) => Behaviour | undefined;

  beforeEach(async () => {
    clock = new FakeClock();
    tokens = 0;
    lifeMs = 3_600_000;
    respond = () => undefined;
    server = new FakeServer((request) => respond(request) ?? cloud(request));
    url = await server.listen();
  });

  afterEach(() => server.close());

  function cloud(request: ReceivedRequest): Behaviour {
    switch (`${request.method} ${request.path}`) {
      case 'POST /v3/auth/tokens':
        tokens += 1;
        return { status: 201, headers: { 'x-subject-token': `token-${tokens}` }, body: { token: token() } };
      case 'GET /compute/':
        return {
          status: 300,
          body: {
            versions: [
              { id: 'v2.0', status: 'SUPPORTED', links: [{ rel: 'self', href: 'http://10.0.0.1:8774/v2/' }] },
              { id: 'v2.1', status: 'CURRENT', links: [{ rel: 'self', href: 'http://10.0.0.1:8774/v2.1/' }] },
            ],
          },
        };
      case 'GET /compute/v2.1/':
        return {
          body: { version: { id: 'v2.1', status: 'CURRENT', version: '2.79', min_version: '2.1', links: [] } },
        };
      case 'GET /compute/v2.1/servers/detail?limit=1000':
        return { body: { servers: [] } };
      default:
        return { status: 404, body: { itemNotFound: { code: 404, message: `${request.path} could not be found.` } } };
    }
  }

  function token(): object {
    const endpoint = (id: string, name: string, region: string, path: string) => ({
      id,
      interface: name,
      region,
      region_id: region,
      url: `${url}${path}`,
    });
    return {
      methods: ['password'],
      user: { id: 'u1', name: 'demo', domain: { id: 'default', name: 'Default' } },
      project: { id: 'p1', name: 'demo', domain: { id: 'default', name: 'Default' } },
      roles: [{ id: 'r1', name: 'member' }],
      issued_at: new Date(clock.now()).toISOString(),
      expires_at: new Date(clock.now() + lifeMs).toISOString(),
      catalog: [
        {
          type: 'compute',
          endpoints: [
            endpoint('e1', 'public', 'RegionTwo', '/other'),
            endpoint('e2', 'internal', 'RegionOne', '/internal/v2.1'),
            endpoint('e3', 'public', 'RegionOne', '/compute/'),
          ],
        },
      ],
    };
  }

  function connect(config: object = {}, more: Pick<CloudOptions, 'budget'> = {}) {
    const raw = { auth_url: url, region_name: 'RegionOne', ...AUTH, ...config };
    const options = { config: compileCloud('test', raw, { source: 'clouds.yaml', home: '/' }), clock, ...more };
    return new Cloud({ ...options, random: () => 0.5, readFile: () => '', transport: server.transport });
  }

  const paths = () => server.requests.map((request) => `${request.method} ${request.path}`);
  /** The error that `call` throws. */
  async function failureOf(call: Promise<unknown>): Promise<unknown> {
    const failure = call.then(
      () => 'no failure',
      (error: unknown) => error,
    );
    return server.run(clock, failure);
  }

  const list = (client: ReturnType<Cloud['client']>) => Array.fromAsync(client.compute.servers.list());

  it('authenticates once for many callers, discovers versions once for many sessions, and uses the newest supported version', async () => {
    const cloud = connect();
    const [one, other] = [cloud.client(), cloud.client()];

    await server.run(clock, Promise.all([list(one), list(one), list(one)]));
    await server.run(clock, list(other));

    expect(tokens).toBe(2);
    expect(paths().filter((path) => path === 'GET /compute/')).toHaveLength(1);
    expect(paths().filter((path) => path === 'GET /compute/v2.1/')).toHaveLength(1);
    expect(server.requests.at(-1)?.headers).toMatchObject({
      'x-auth-token': 'token-2',
      'openstack-api-version': 'compute 2.79',
      'x-openstack-nova-api-version': '2.79',
    });
  });

  it('never uses a newer microversion than clouds.yaml sets', async () => {
    const client = connect({ compute_default_microversion: '2.53' }).client();

    await server.run(clock, list(client));

    expect(server.requests.at(-1)?.headers['openstack-api-version']).toBe('compute 2.53');
  });

  it('rejects a call that needs a newer microversion than the service supports, before sending it', async () => {
    const client = connect().client();

    const call = client.compute.servers.create({ name: 'a', flavorRef: '1', networks: 'none', hostname: 'a.b' });
    expect(await failureOf(call)).toMatchObject({
      kind: 'badRequest',
      outcome: 'notDone',
      detail: 'needs microversion 2.90, and the service supports 2.79',
    });
    expect(paths()).not.toContain('POST /compute/v2.1/servers');
  });

  it('renews a token that a service rejects and retries the call once', async () => {
    const client = connect().client();
    await server.run(clock, list(client));
    respond = (request) =>
      request.headers['x-auth-token'] === 'token-1' ? { status: 401, body: 'Authentication required' } : undefined;

    await server.run(clock, Promise.all([list(client), list(client)]));

    expect(tokens).toBe(2);
    respond = (request) => (request.path.startsWith('/compute') ? { status: 401 } : undefined);
    expect(await failureOf(list(client))).toMatchObject({ kind: 'unauthorized', service: 'compute' });
    expect(tokens).toBe(3);
  });

  it('renews a token before it expires, and keeps using it while Keystone is unavailable', async () => {
    const client = connect().client();
    await server.run(clock, list(client));

    await clock.advance(3_600_000 - 6 * 60_000);
    await server.run(clock, list(client));
    expect(tokens).toBe(1);
    await clock.advance(2 * 60_000);
    respond = (request) => (request.path === '/v3/auth/tokens' ? { status: 500 } : undefined);
    await server.run(clock, list(client));
    expect(server.requests.at(-1)?.headers['x-auth-token']).toBe('token-1');
    respond = () => undefined;
    await server.run(clock, list(client));
    expect(server.requests.at(-1)?.headers['x-auth-token']).toBe('token-2');
  });

  it.each([
    { reason: 'wrong password', status: 401, message: 'The request you have made requires authentication.' },
    { reason: 'deleted application credential', status: 404, message: 'Could not find Application Credential: 5581.' },
  ])('limits login attempts with a rejected credential: $reason', async ({ status, message }) => {
    const refusal = { error: { code: status, message, title: 'Refused' } };
    respond = (request) => (request.path === '/v3/auth/tokens' ? { status, body: refusal } : undefined);
    const client = connect().client();
    const attempt = () => failureOf(list(client));

    expect(await attempt()).toMatchObject({ kind: 'unauthorized', service: 'identity', template: '/v3/auth/tokens' });
    await attempt();
    expect(server.requests).toHaveLength(1);
    await clock.advance(10_000);
    await attempt();
    expect(server.requests).toHaveLength(2);
  });

  it('does not call a service whose Retry-After exceeds the call timeout', async () => {
    const client = connect().client();
    await server.run(clock, list(client));
    respond = (request) =>
      request.path.includes('/servers') ? { status: 429, headers: { 'retry-after': '600' } } : undefined;
    const attempt = () => failureOf(list(client));
    await attempt();
    const sent = server.requests.length;

    expect(await attempt()).toMatchObject({ kind: 'rateLimited', outcome: 'notDone', retryAfterMs: 600_000 });
    expect(server.requests).toHaveLength(sent);
    respond = () => undefined;
    await clock.advance(600_000);
    expect(await attempt()).toBe('no failure');
  });

  it.each([
    { reason: 'another interface', config: { interface: 'internal' }, path: '/internal/v2.1/servers/1' },
    {
      reason: 'an overridden endpoint',
      config: { compute_endpoint_override: 'URL/mine/v2.1/' },
      path: '/mine/v2.1/servers/1',
    },
  ])('calls $reason as configured in clouds.yaml', async ({ config, path }) => {
    const text = JSON.stringify(config).replace('URL', url);
    const client = connect(JSON.parse(text) as object).client();

    await failureOf(client.compute.servers.get('1'));

    // Version discovery of these endpoints returns 404 here.
    expect(paths().at(-1)).toBe(`GET ${path.replace('servers/1', '')}`);
  });

  it('lists what the catalog contains when an endpoint is missing', async () => {
    const client = connect({ region_name: 'RegionNine' }).client();

    const { message } = (await failureOf(list(client))) as Error;

    expect(message).toContain(
      'the catalog has no public endpoint of compute in region RegionNine, only: public in RegionTwo, internal in RegionOne, public in RegionOne',
    );
  });

  it('reports a response that does not come from the API', async () => {
    respond = (request) => (request.path.includes('/servers') ? { body: '<html>Welcome</html>' } : undefined);
    const client = connect().client();

    expect(await failureOf(list(client))).toMatchObject({ kind: 'unavailable', status: 200 });
  });

  describe('with an external credential source', () => {
    const credential: Credential = { kind: 'applicationCredential', id: 'a1', secret: 'sesame' };

    it('reads the source at every login', async () => {
      let kept: Credential = credential;
      const client = connect().client({ credential: () => Promise.resolve(kept), accept: () => {} });
      await server.run(clock, client.session.token());
      kept = { ...credential, id: 'a2' };

      await server.run(clock, client.session.renew());

      const logins = server.requests.filter(({ path }) => path === '/v3/auth/tokens').map(({ body }) => body);
      expect(logins).toMatchObject(
        ['a1', 'a2'].map((id) => ({ auth: { identity: { application_credential: { id, secret: 'sesame' } } } })),
      );
    });

    it('makes no call with a token that the source rejects', async () => {
      const refusal = new OpenStackError({
        kind: 'unauthorized',
        service: 'identity',
        method: 'POST',
        template: '/v3/auth/tokens',
        message: 'of another project',
        outcome: 'notDone',
      });
      const accept = () => {
        throw refusal;
      };
      const client = connect().client({ credential: () => Promise.resolve(credential), accept });

      expect(await failureOf(list(client))).toBe(refusal);
      expect(paths()).toEqual(['POST /v3/auth/tokens']);
    });
  });

  it('drops its token when Keystone rejects a renewal, and retries immediately on request', async () => {
    const client = connect().client();
    await server.run(clock, client.session.token());
    respond = ({ path }) => (path === '/v3/auth/tokens' ? { status: 401, body: { error: { code: 401 } } } : undefined);

    expect(await failureOf(client.session.renew())).toMatchObject({ kind: 'unauthorized' });
    expect(await failureOf(client.session.token())).toMatchObject({ kind: 'unauthorized' });

    respond = () => undefined;
    expect(await server.run(clock, client.session.renew())).toMatchObject({ id: 'token-2' });
  });

  it('keeps its token when a renewal fails because Keystone is unavailable', async () => {
    const client = connect().client();
    await server.run(clock, client.session.token());
    respond = ({ path }) => (path === '/v3/auth/tokens' ? { status: 503, body: {} } : undefined);

    expect(await failureOf(client.session.renew())).toMatchObject({ kind: 'unavailable' });
    expect(await server.run(clock, client.session.token())).toMatchObject({ id: 'token-1' });
  });

  it('counts failing calls and their retries against their own project only', async () => {
    const cloud = connect({}, { budget: { requestsPerMinute: 60, burst: 20, concurrent: 8 } });
    const credential = (name: string): Credential => ({
      ...(cloud.config.credential as PasswordLogin),
      user: { name, domain: { name: 'Default' } },
    });
    const [storm, quiet] = [cloud.client(credential('storm')), cloud.client(credential('quiet'))];
    respond = ({ method, path, headers, body }) => {
      if (method === 'POST') {
        const { name } = (body as { auth: { identity: { password: { user: { name: string } } } } }).auth.identity
          .password.user;
        const project = { id: name, name, domain: { id: 'default', name: 'Default' } };
        return { status: 201, headers: { 'x-subject-token': name }, body: { token: { ...token(), project } } };
      }
      return path.includes('/servers') && headers['x-auth-token'] === 'storm' ? { status: 503 } : undefined;
    };
    await server.run(clock, Promise.all([storm.session.token(), list(quiet)]));
    const failing = Array.from({ length: 200 }, () => list(storm).catch(() => undefined));
    await server.received(15);
    const beganMs = clock.now();
    const before = server.requests.length;

    await server.run(clock, list(quiet));

    const later = server.requests.slice(before).map(({ headers }) => headers['x-auth-token']);
    expect(later.lastIndexOf('quiet')).toBeLessThanOrEqual(12);
    expect(clock.now() - beganMs).toBeLessThanOrEqual(12_000);
    await server.run(clock, Promise.all(failing));
  });

  describe('refusals', () => {
    const call = {
      service: 'compute',
      method: 'GET',
      template: '/servers/detail',
      path: '/servers/detail?limit=1000',
    } as const;

    it.each([
      { status: 403, of: 'compute', reported: 1 },
      { status: 401, of: 'compute', reported: 1 },
      { status: 503, of: 'compute', reported: 0 },
      { status: 401, of: 'v3', reported: 1 },
      { status: 503, of: 'v3', reported: 0 },
    ])('are reported $reported times for $status from $of', async ({ status, of, reported }) => {
      const { session } = connect().client();
      respond = ({ path }) =>
        path.startsWith(of === 'v3' ? '/v3/auth' : '/compute/v2.1/servers') ? { status, body: {} } : undefined;
      let heard = 0;
      const stop = session.onRefused(() => heard++);

      await failureOf(session.call(call));
      expect(heard).toBe(reported);

      stop();
      await failureOf(session.call(call));
      expect(heard).toBe(reported);
    });

    it('are not reported if the caller of renew sees them', async () => {
      const { session } = connect().client();
      respond = ({ path }) => (path === '/v3/auth/tokens' ? { status: 401, body: {} } : undefined);
      let heard = 0;
      session.onRefused(() => heard++);

      await failureOf(session.renew());

      expect(heard).toBe(0);
    });
  });
});
