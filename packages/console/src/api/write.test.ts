import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from './failure.ts';
import { plans, type Resource, type StoredObject } from './resources.ts';
import { change, create, problemsByField, remove, replace } from './write.ts';

interface Thing extends StoredObject {
  readonly spec?: object;
}

const testResource: Resource<Thing> = {
  group: 'g.dev',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  isNamespaced: true,
};
const OBJECT = { metadata: { namespace: 'team', name: 'a b' }, spec: { size: 3 } };

let requests: { url: string; method: string | undefined; type: string | null; body: unknown }[];
let response: () => Response;
const { fetch } = globalThis;
beforeEach(() => {
  requests = [];
  response = () => Response.json({ ok: true });
  globalThis.fetch = (input, init = {}) => {
    const { method, headers, body } = init;
    const url = input instanceof Request ? input.url : String(input);
    const parsed: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
    requests.push({ url, method, type: new Headers(headers).get('content-type'), body: parsed });
    return Promise.resolve(response());
  };
});
afterEach(() => {
  globalThis.fetch = fetch;
});

it.each([
  [
    'change',
    () => change(testResource, { metadata: { namespace: 'team', name: 'a' } }, { spec: {} }, { dryRun: true }),
  ],
  ['create', () => create(testResource, OBJECT, { dryRun: true })],
] as const)('%s sends a dry run if requested', async (_name, call) => {
  await call();

  expect(requests[0]?.url).toContain('dryRun=All');
});

it('replaces the whole object, as the console’s field manager, with strict validation', async () => {
  await replace(testResource, OBJECT);

  expect(requests).toEqual([
    {
      url: '/apis/g.dev/v1/namespaces/team/things/a%20b?fieldManager=fairway-console&fieldValidation=Strict',
      method: 'PUT',
      type: 'application/json',
      body: { apiVersion: 'g.dev/v1', kind: 'Thing', ...OBJECT },
    },
  ]);
});

it('changes only the object that was read', async () => {
  const stored = { metadata: { namespace: 'team', name: 'a', uid: 'u1' } };
  await change(testResource, stored, { metadata: { labels: { a: 'b' } }, spec: { size: 5 } });

  expect(requests[0]).toMatchObject({
    method: 'PATCH',
    body: { metadata: { uid: 'u1', labels: { a: 'b' } }, spec: { size: 5 } },
  });
});

it('deletes only the object that was read', async () => {
  await remove(testResource, { metadata: { namespace: 'team', name: 'a', uid: 'u1' } });

  expect(requests[0]).toMatchObject({ method: 'DELETE', body: { preconditions: { uid: 'u1' } } });
});

it('writes cluster-scoped objects', async () => {
  await create(plans, { metadata: { name: 'large' }, spec: {} });

  expect(requests[0]?.url).toMatch(/^\/apis\/fairway\.dev\/v1alpha1\/plans\?/);
});

describe('a refusal', () => {
  it('maps messages to fields', async () => {
    const causes = [
      { field: 'spec.size', message: 'too small' },
      { field: 'spec.size', message: 'odd' },
      { field: 'spec.plan', message: 'unknown' },
    ];
    const status = { kind: 'Status', code: 422, reason: 'Invalid', message: 'invalid', details: { causes } };
    response = () => Response.json(status, { status: 422 });
    const failure = await create(testResource, OBJECT).then(
      () => undefined,
      (error: unknown) => error,
    );

    expect(failure).toBeInstanceOf(Failure);
    expect(Object.fromEntries(problemsByField(failure as Failure))).toEqual({
      'spec.size': ['too small', 'odd'],
      'spec.plan': ['unknown'],
    });
  });

  it('applies to the whole object if it names no fields', () => {
    expect(Object.fromEntries(problemsByField(new Failure(403, 'forbidden')))).toEqual({ '': ['forbidden'] });
  });

  it.each([
    { code: 0, isPassing: true },
    { code: 429, isPassing: true },
    { code: 503, isPassing: true },
    { code: 403, isPassing: false },
    { code: 410, isPassing: false },
  ])('is transient for code $code: $isPassing', ({ code, isPassing }) => {
    expect(new Failure(code, '').isTransient).toBe(isPassing);
  });
});
