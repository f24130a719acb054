import { API_VERSION } from '@fairway/api/group';
import { KINDS } from '@fairway/api/kinds/all';
import { hostileTexts } from '@fairway/base/testing/growth';
import { ConfigMaps, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { ROUTES } from '@fairway/magnum/routes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOSTILE_BODIES, type HostileBody } from './hostile/bodies.ts';
import { type HostileRequest, HostileTarget } from './hostile/listeners.ts';
import { excessiveWork, minWorkOf, type Work, workOf } from './hostile/work.ts';

/** Inputs without a prefix suffice: parsing that takes quadratic time does so without a prefix, too. */
const BARE = { bare: true };
/** Node closes connections with larger request heads. */
const HEAD_LENGTHS = { from: 3_500, to: 14_000 };
/** Work that is quadratic in half a megabyte exceeds any multiple of the work for a plain object. */
const BODY_BYTES = 512 * 1024;
/** Maximum cost and blocking time, as a multiple of a plain body of the same size. */
const MAX_TIMES = 40;

const NAMESPACED = `/apis/${API_VERSION}/namespaces/default`;
const VICTIM = 'victim';

/** One decoder parses the bodies of all kinds, so input that it rejects is sent to only one kind. */
function appliesTo({ contentType }: HostileBody, { to, request, isPatch = false }: (typeof BODIES)[number]): boolean {
  if (request.at === 'api' && contentType.includes('patch') !== isPatch) return false;
  return isPatch || to === 'clusters' || contentType === 'application/json';
}

let target: HostileTarget;
const SHORT_TEXTS = hostileTexts(HEAD_LENGTHS.from, BARE);
const LONG = hostileTexts(HEAD_LENGTHS.to, BARE);

/** The cost of handling a plain object of this size. */
let plain: Work;
let plainStatus: number | undefined;

function isExcessive({ cpuMs, maxTurnMs }: Work): boolean {
  return cpuMs > MAX_TIMES * plain.cpuMs || maxTurnMs > MAX_TIMES * plain.maxTurnMs;
}

function describeCost({ cpuMs, maxTurnMs }: Work): string {
  const times = (measured: number, baseline: number) => (measured / baseline).toFixed(1);
  return `${times(cpuMs, plain.cpuMs)} times the work, and others wait ${times(maxTurnMs, plain.maxTurnMs)} times as long (${maxTurnMs.toFixed(0)} ms)`;
}

beforeAll(async () => {
  target = await HostileTarget.start();
  const metadata = { name: VICTIM, namespace: 'default' };
  await target.client.resource(ConfigMaps).create({ metadata, data: { a: 'a' } });
  await target.client.resource(ServiceAccounts).create({ metadata });
  const data = Object.fromEntries(Array.from({ length: 2_500 }, (_, index) => [`key-${index}`, 'x'.repeat(190)]));
  const body = JSON.stringify({ metadata: { name: 'plain' }, data });
  const path = '/api/v1/namespaces/default/configmaps?dryRun=All';
  const send = () => target.send({ at: 'api', as: 'administrator', method: 'POST', path, body });
  plainStatus = await send();
  plain = await minWorkOf(5, send);
});
afterAll(() => target?.close());

test('accepts requests for the intended user', async () => {
  expect(await target.send({ at: 'magnum', as: 'member', method: 'GET', path: '/v1/clusters' })).toBe(200);
  expect(await target.send({ at: 'api', as: 'member', method: 'GET', path: '/apis' })).toBe(200);
  expect(plainStatus).toBe(201);
});

/** Every place in a request head that is parsed, in requests that get as far as possible. */
const PARAMETER_PLACES: readonly { readonly place: string; readonly requestWith: (text: string) => HostileRequest }[] =
  [
    { place: 'a path', requestWith: (text) => ({ at: 'api', method: 'GET', path: `/${text}` }) },
    {
      place: "a member's path",
      requestWith: (text) => ({ at: 'api', as: 'member', method: 'GET', path: `${NAMESPACED}/clusters/${text}` }),
    },
    ...[
      'labelSelector',
      'fieldSelector',
      'continue',
      'resourceVersion',
      'limit',
      'timeoutSeconds',
      'sendInitialEvents',
    ].map((name) => ({
      place: `the parameter ${name}`,
      requestWith: (text: string): HostileRequest => ({
        at: 'api',
        as: 'administrator',
        method: 'GET',
        path: `${NAMESPACED}/clusters?${name}=${encodeURIComponent(text.toWellFormed())}`,
      }),
    })),
    {
      place: 'a query',
      requestWith: (text) => ({
        at: 'api',
        as: 'administrator',
        method: 'GET',
        path: `${NAMESPACED}/clusters?${text}`,
      }),
    },
    {
      place: 'parameter names',
      requestWith: (text) => ({ at: 'api', method: 'GET', path: `/api?${text}=${text}` }),
    },
    ...[
      'accept',
      'accept-encoding',
      'cookie',
      'user-agent',
      'audit-id',
      'traceparent',
      'tracestate',
      'impersonate-user',
      'impersonate-group',
      'impersonate-extra-a',
      'x-forwarded-for',
      'if-none-match',
      'sec-fetch-site',
      'origin',
      'warning',
    ].map((name) => ({
      place: `the header ${name}`,
      requestWith: (text: string): HostileRequest => ({
        at: 'api',
        as: 'administrator',
        method: 'GET',
        path: `${NAMESPACED}/clusters`,
        headers: { [name]: text },
      }),
    })),
    {
      place: 'a bearer token',
      requestWith: (text) => ({ at: 'api', method: 'GET', path: '/api', headers: { authorization: `Bearer ${text}` } }),
    },
    {
      place: 'an authentication scheme',
      requestWith: (text) => ({ at: 'api', method: 'GET', path: '/api', headers: { authorization: text } }),
    },
    {
      place: 'a token of a service account',
      requestWith: (text) => ({
        at: 'api',
        method: 'GET',
        path: '/api',
        headers: { authorization: `Bearer eyJhbGciOiJSUzI1NiJ9.${text}.${text.slice(0, 10)}` },
      }),
    },
    {
      place: 'a content type',
      requestWith: (text) => ({
        at: 'api',
        as: 'administrator',
        method: 'POST',
        path: `${NAMESPACED}/clusters`,
        headers: { 'content-type': `application/json;${text}` },
        body: '{}',
      }),
    },
    {
      place: "a file's path",
      requestWith: (text) => ({ at: 'api', method: 'GET', path: `/console/${text}`, headers: { accept: 'text/html' } }),
    },
    {
      place: "a session's cookie",
      requestWith: (text) => ({
        at: 'api',
        method: 'GET',
        path: '/console/session',
        headers: {
          cookie: `__Host-fairway-session=${text}`,
          'x-fairway-console': '1',
          'sec-fetch-site': 'same-origin',
        },
      }),
    },
    { place: 'a Magnum path', requestWith: (text) => ({ at: 'magnum', method: 'GET', path: `/v1/${text}` }) },
    {
      place: 'a Magnum query',
      requestWith: (text) => ({ at: 'magnum', as: 'member', method: 'GET', path: `/v1/clusters?${text}` }),
    },
    {
      place: 'a name in Magnum',
      requestWith: (text) => ({ at: 'magnum', as: 'member', method: 'GET', path: `/v1/clusters/${text}` }),
    },
    {
      place: 'a Keystone token',
      requestWith: (text) => ({ at: 'magnum', method: 'GET', path: '/v1/clusters', headers: { 'x-auth-token': text } }),
    },
    {
      place: 'a microversion',
      requestWith: (text) => ({
        at: 'magnum',
        as: 'member',
        method: 'GET',
        path: '/v1/clusters',
        headers: { 'openstack-api-version': `container-infra ${text}` },
      }),
    },
  ];

test.each(PARAMETER_PLACES)(
  'takes time proportional to the length of any input in $place',
  async ({ requestWith: requestOf }) => {
    const found: string[] = [];
    for (const [index, { name }] of SHORT_TEXTS.entries()) {
      const texts = { [HEAD_LENGTHS.from]: SHORT_TEXTS[index]?.text, [HEAD_LENGTHS.to]: LONG[index]?.text };
      const send = (length: number) => target.send(requestOf(texts[length] ?? ''));
      // Inputs that are fast at maximum length are skipped.
      if ((await workOf(() => send(HEAD_LENGTHS.to))).cpuMs < 40) continue;
      const excess = await excessiveWork(send, HEAD_LENGTHS);
      if (excess !== undefined) found.push(`${name}: ${excess}`);
    }
    expect(found).toEqual([]);
  },
);

const ANY_ID = '5b3a4f0e-0000-4000-8000-000000000000';
/** Every request with a body. */
const BODIES: readonly {
  readonly to: string;
  readonly isPatch?: boolean;
  readonly request: Omit<HostileRequest, 'body'>;
}[] = [
  ...KINDS.filter(({ namespaced }) => namespaced).map(({ plural }) => ({
    to: plural,
    request: { at: 'api', as: 'administrator', method: 'POST', path: `${NAMESPACED}/${plural}?dryRun=All` } as const,
  })),
  ...['configmaps', 'serviceaccounts'].flatMap((plural) => [
    {
      to: plural,
      request: {
        at: 'api',
        as: 'administrator',
        method: 'POST',
        path: `/api/v1/namespaces/default/${plural}?dryRun=All`,
      } as const,
    },
    {
      to: `a patch of ${plural}`,
      isPatch: true,
      request: {
        at: 'api',
        as: 'administrator',
        method: 'PATCH',
        path: `/api/v1/namespaces/default/${plural}/${VICTIM}?fieldManager=x&dryRun=All`,
      } as const,
    },
  ]),
  {
    to: 'a review',
    request: {
      at: 'api',
      as: 'administrator',
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    },
  },
  {
    to: 'a kubeconfig',
    request: { at: 'api', as: 'administrator', method: 'POST', path: `${NAMESPACED}/clusters/a/kubeconfig` },
  },
  ...[
    'POST /console/session',
    'PUT /console/session/project',
    'POST /console/session/delegation',
    'POST /console/session/single-sign-on',
    'POST /console/sso',
    'POST /console/watches',
  ].map((line) => {
    const [method = '', path = ''] = line.split(' ');
    const headers = { 'x-fairway-console': '1', 'sec-fetch-site': 'same-origin' };
    return { to: line, request: { at: 'api', method, path, headers } as const };
  }),
  ...ROUTES.filter(({ method }) => method === 'POST' || method === 'PATCH').map(({ method, path }) => ({
    to: `${method} ${path} of Magnum`,
    request: {
      at: 'magnum',
      as: 'member',
      method,
      path: `/v1/${path.replaceAll(/\{\w+\}/g, ANY_ID)}`,
      headers: { 'openstack-api-version': 'container-infra latest' },
    } as const,
  })),
];

test.each(BODIES)('handles any body to $to at about the cost of a plain body of its size', async (entry) => {
  const { request } = entry;
  const found: string[] = [];
  for (const body of HOSTILE_BODIES) {
    if (!appliesTo(body, entry)) continue;
    const headers = { ...('headers' in request && request.headers), 'content-type': body.contentType };
    const sent = body.of(BODY_BYTES);
    const send = () => target.send({ ...request, headers, body: sent });
    let work = await workOf(send);
    if (isExcessive(work)) work = await minWorkOf(3, send);
    if (isExcessive(work)) found.push(`${body.name}: ${describeCost(work)}`);
  }
  expect(found).toEqual([]);
});
