import { FakeClock } from '@fairway/base/clock-fake';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { type Cloud, createCloud } from './cloud.ts';
import type { CloudConfig } from './config.ts';

/** A cloud on a free port with a fake clock, and its users. */
export interface TestCloud {
  readonly cloud: Cloud;
  readonly clock: FakeClock;
  readonly origin: string;
  /** The default configuration's user for the project with this name. */
  readonly demo: TestUser;
  readonly admin: TestUser;
  readonly reader: TestUser;
  readonly other: TestUser;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON or the text of the body; undefined if the body is empty. */
  readonly body: Json;
}

/** Loosely typed JSON for tests. */
export interface Json {
  readonly [key: string]: Json;
  readonly [index: number]: Json;
}

/** The object in a response such as `{network: {...}}`. */
export interface CreatedObject {
  readonly id: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

export interface TestUser {
  readonly token: string;
  readonly userId: string;
  readonly projectId: string;
  /** Posts one object and returns the result; throws on an error response. */
  make(path: string, body: object): Promise<CreatedObject>;
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<TestResponse>;
}

export const TEST_PASSWORD = 'secret';

export async function startTestCloud(config: Partial<CloudConfig> = {}, seed = 1): Promise<TestCloud> {
  const clock = new FakeClock();
  const cloud = createCloud({ clock, random: seededRandom(seed), config: { password: TEST_PASSWORD, ...config } });
  const origin = await cloud.listen({ host: '127.0.0.1', port: 0 });
  const [demo, admin, reader, other] = await Promise.all([
    logIn(origin, 'demo', 'demo'),
    logIn(origin, 'admin', 'admin'),
    logIn(origin, 'reader', 'demo'),
    logIn(origin, 'other', 'other'),
  ]);
  return { cloud, clock, origin, demo, admin, reader, other };
}

export function passwordRequest(user: string, password: string, scope?: object): object {
  return {
    auth: {
      identity: { methods: ['password'], password: { user: { name: user, domain: { id: 'default' }, password } } },
      ...(scope === undefined ? {} : { scope }),
    },
  };
}

export async function logIn(origin: string, user: string, project: string): Promise<TestUser> {
  const scope = { project: { name: project, domain: { id: 'default' } } };
  return logInWith(origin, passwordRequest(user, TEST_PASSWORD, scope));
}

/** Authenticates with any auth request; throws on an error response. */
export async function logInWith(origin: string, request: object): Promise<TestUser> {
  const { status, headers, body } = await call(origin, 'POST', '/identity/v3/auth/tokens', request);
  if (status !== 201) throw new Error(`login failed with ${status}: ${JSON.stringify(body)}`);
  const token = headers.get('x-subject-token') ?? '';
  const { user, project } = (body as unknown as { token: { user: { id: string }; project?: { id: string } } }).token;
  const callAs: TestUser['call'] = (method, path, payload, extra) =>
    call(origin, method, path, payload, { 'X-Auth-Token': token, ...extra });
  return {
    token,
    userId: user.id,
    projectId: project?.id ?? '',
    call: callAs,
    async make(path, payload) {
      const created = await callAs('POST', path, payload);
      const [inner] = Object.values(created.body ?? {});
      if (created.status >= 300) throw new Error(`POST ${path} got ${created.status}: ${JSON.stringify(created.body)}`);
      return inner as unknown as CreatedObject;
    },
  };
}

export async function call(
  origin: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : text === '' ? undefined : text) as Json,
  };
}

/** Waits until a timer is pending on the clock, for example for a delayed request. */
export async function untilClockWaits(clock: FakeClock): Promise<void> {
  while (clock.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve));
}

/** The objects of a list response, e.g. those under `networks`. */
export function listed({ body }: TestResponse, key: string): readonly CreatedObject[] {
  return body[key] as unknown as readonly CreatedObject[];
}

/** The first object of a list response; throws if the list is empty. */
export function firstListed(created: TestResponse, key: string): CreatedObject {
  const [first] = listed(created, key);
  if (first === undefined) throw new Error(`no ${key} in ${JSON.stringify(created.body)}`);
  return first;
}
