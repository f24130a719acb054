import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from './failure.ts';
import { plans, type Resource, type Stored } from './resources.ts';
import { change, create, problemsByField, remove, replace } from './write.ts';

interface Thing extends Stored {
  readonly spec?: object;
}

const things: Resource<Thing> = { group: 'g.dev', version: 'v1', plural: 'things', kind: 'Thing', isNamespaced: true };
const OBJECT = { metadata: { namespace: 'team', name: 'a b' }, spec: { size: 3 } };

let sent: { url: string; method: string | undefined; type: string | null; body: unknown }[];
let answer: () => Response;
const { fetch } = globalThis;
beforeEach(() => {
  sent = [];
  answer = () => Response.json({ ok: true });
  globalThis.fetch = (input, init = {}) => {
    const { method, headers, body } = init;
    const url = input instanceof Request ? input.url : String(input);
    const parsed: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
    sent.push({ url, method, type: new Headers(headers).get('content-type'), body: parsed });
    return Promise.resolve(answer());
  };
});
afterEach(() => {
  globalThis.fetch = fetch;
});

it.each([
  ['change', () => change(things, { metadata: { namespace: 'team', name: 'a' } }, { spec: {} }, { dryRun: true })],
  ['create', () => create(things, OBJECT, { dryRun: true })],
] as const)('%s asks without effect where it is told to', async (_name, call) => {
  await call();

  expect(sent[0]?.url).toContain('dryRun=All');
});

it('replaces the whole object as the console, strictly', async () => {
  await replace(things, OBJECT);

  expect(sent).toEqual([
    {
      url: '/apis/g.dev/v1/namespaces/team/things/a%20b?fieldManager=fairway-console&fieldValidation=Strict',
      method: 'PUT',
      type: 'application/json',
      body: { apiVersion: 'g.dev/v1', kind: 'Thing', ...OBJECT },
    },
  ]);
});

it('changes the object that was looked at alone', async () => {
  const seen = { metadata: { namespace: 'team', name: 'a', uid: 'u1' } };
  await change(things, seen, { metadata: { labels: { a: 'b' } }, spec: { size: 5 } });

  expect(sent[0]).toMatchObject({
    method: 'PATCH',
    body: { metadata: { uid: 'u1', labels: { a: 'b' } }, spec: { size: 5 } },
  });
});

it('deletes the object that was looked at alone', async () => {
  await remove(things, { metadata: { namespace: 'team', name: 'a', uid: 'u1' } });

  expect(sent[0]).toMatchObject({ method: 'DELETE', body: { preconditions: { uid: 'u1' } } });
});

it('writes what is of no namespace where it is', async () => {
  await create(plans, { metadata: { name: 'large' }, spec: {} });

  expect(sent[0]?.url).toMatch(/^\/apis\/fairway\.dev\/v1alpha1\/plans\?/);
});

describe('a refusal', () => {
  it('says what is wrong at each field', async () => {
    const causes = [
      { field: 'spec.size', message: 'too small' },
      { field: 'spec.size', message: 'odd' },
      { field: 'spec.plan', message: 'unknown' },
    ];
    const status = { kind: 'Status', code: 422, reason: 'Invalid', message: 'invalid', details: { causes } };
    answer = () => Response.json(status, { status: 422 });
    const failure = await create(things, OBJECT).then(
      () => undefined,
      (error: unknown) => error,
    );

    expect(failure).toBeInstanceOf(Failure);
    expect(Object.fromEntries(problemsByField(failure as Failure))).toEqual({
      'spec.size': ['too small', 'odd'],
      'spec.plan': ['unknown'],
    });
  });

  it('without fields is about the whole', () => {
    expect(Object.fromEntries(problemsByField(new Failure(403, 'forbidden')))).toEqual({ '': ['forbidden'] });
  });

  it.each([
    { code: 0, isPassing: true },
    { code: 429, isPassing: true },
    { code: 503, isPassing: true },
    { code: 403, isPassing: false },
    { code: 410, isPassing: false },
  ])('of code $code is passing: $isPassing', ({ code, isPassing }) => {
    expect(new Failure(code, '').isPassing).toBe(isPassing);
  });
});
