import { API_VERSION } from '@fairway/api/group';
import { type CloudCredential, cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { aNodePool } from '@fairway/api/testing/objects';
import type { AdmissionRequest } from '@fairway/apiserver/server/admission';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { forbidden } from '@fairway/kube/object/api-error';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { GatewayMetrics } from '../management/gateway-metrics.ts';
import { admissionWebhook } from './admission-webhook.ts';

const pool = { apiVersion: API_VERSION, kind: nodePools.kind, ...aNodePool({ replicas: 3 }) };

/** An API server with one pool. */
const client = new KubeClient({
  request: ({ path }) => {
    const found = path.endsWith('/namespaces/team/nodepools/general');
    return Promise.resolve({
      status: found ? 200 : 404,
      headers: {},
      text: () => Promise.resolve(JSON.stringify(found ? pool : {})),
      lines: () => {
        throw new Error('nobody watches');
      },
    });
  },
  close: () => undefined,
});

const registry = new Registry();
const parts = { client, metrics: new GatewayMetrics(registry), clock: new FakeClock(), log: silentLogger };

interface ReviewResponse {
  readonly apiVersion: string;
  readonly kind: string;
  readonly response: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly status?: { readonly code: number; readonly message: string; readonly details?: object };
    readonly warnings?: readonly string[];
  };
}

async function review(
  request: object,
  admit: (request: AdmissionRequest) => void = () => undefined,
): Promise<ReviewResponse> {
  const admission = { name: 'test', validate: admit };
  const body = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u-1',
      kind: {},
      resource: { group: 'fairway.dev', version: 'v1alpha1', resource: 'nodepools' },
      name: 'general',
      namespace: 'team',
      operation: 'CREATE',
      userInfo: { username: 'alice', groups: ['devs'] },
      object: pool,
      oldObject: null,
      dryRun: false,
      options: {},
      ...request,
    },
  });
  const reviewResponse = await admissionWebhook({ admission, ...parts })(body);
  expect(reviewResponse.status).toBe(200);
  return JSON.parse(reviewResponse.body as string) as ReviewResponse;
}

test('allows valid objects, with warnings', async () => {
  const reviewResponse = await review({}, (request) => request.warn('careful'));

  expect(reviewResponse).toEqual({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u-1', allowed: true, warnings: ['careful'] },
  });
});

test('passes the user and the operation to validation', async () => {
  const reviews: AdmissionRequest[] = [];
  await review({ dryRun: true, operation: 'UPDATE', oldObject: pool }, (request) => void reviews.push(request));

  expect(reviews).toMatchObject([
    {
      user: { username: 'alice', groups: ['devs'] },
      operation: 'UPDATE',
      subresource: '',
      namespace: 'team',
      name: 'general',
      dryRun: true,
      object: { spec: { replicas: 3 } },
      oldObject: { spec: { replicas: 3 } },
    },
  ]);
});

test('returns a refusal as a Status', async () => {
  const { response } = await review({}, () => {
    throw forbidden({ group: 'fairway.dev', resource: 'nodepools', name: 'general' }, 'not today');
  });

  expect(response).toMatchObject({
    allowed: false,
    status: { code: 403, reason: 'Forbidden', message: 'nodepools.fairway.dev "general" is forbidden: not today' },
  });
});

test('refuses if validation throws, so that no request passes unvalidated', async () => {
  const { response } = await review({}, () => {
    throw new Error('out of order');
  });

  expect(response).toMatchObject({ allowed: false, status: { code: 500, reason: 'InternalError' } });
  expect(response.status?.message).toContain('Fairway could not review the request: out of order');
});

test('counts validations by outcome', async () => {
  registry.resetMetrics();
  await review({});
  await review({}, () => {
    throw forbidden({ group: 'fairway.dev', resource: 'nodepools', name: 'general' }, 'not today');
  });
  await review({}, () => {
    throw new Error('out of order');
  });
  const lines = (await registry.metrics()).split('\n').filter((line) => line.includes('_seconds_count'));

  expect(lines).toEqual([
    'fairway_gateway_review_duration_seconds_count{resource="nodepools",outcome="allowed"} 1',
    'fairway_gateway_review_duration_seconds_count{resource="nodepools",outcome="refused"} 1',
    'fairway_gateway_review_duration_seconds_count{resource="nodepools",outcome="failed"} 1',
  ]);
});

describe('a scale request', () => {
  const scale = (replicas: number | undefined) => ({
    subResource: 'scale',
    operation: 'UPDATE',
    object: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'general' }, spec: { replicas } },
    oldObject: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'general' }, spec: { replicas: 3 } },
  });

  test.each([
    { asked: 40, replicas: 40 },
    { asked: undefined, replicas: 0, reason: 'Go omits a zero value' },
  ])('to $asked is validated as the resulting pool', async ({ asked, replicas }) => {
    const reviews: AdmissionRequest[] = [];
    await review(scale(asked), (request) => void reviews.push(request));

    expect(reviews).toMatchObject([
      { object: { kind: 'NodePool', spec: { flavor: 'b3-8', replicas } }, oldObject: { spec: { replicas: 3 } } },
    ]);
  });

  test('for a deleted pool is refused', async () => {
    expect((await review({ ...scale(4), name: 'gone' })).response).toMatchObject({
      allowed: false,
      status: { code: 404 },
    });
  });
});

describe('the webhook with older CRDs installed', () => {
  test('refuses contradictory fields', async () => {
    const object = { ...pool, spec: { ...pool.spec, minReplicas: 5 } };
    const { response } = await review({ object });

    expect(response).toMatchObject({ allowed: false, status: { code: 422, details: { kind: 'NodePool' } } });
    expect(response.status?.message).toContain('spec.replicas: Invalid value: 3: must not be less than minReplicas');
  });

  test('refuses changes to immutable fields', async () => {
    const object = { ...pool, spec: { ...pool.spec, antiAffinity: true } };
    const { response } = await review({ operation: 'UPDATE', object, oldObject: pool });

    expect(response).toMatchObject({ allowed: false, status: { code: 422 } });
    expect(response.status?.message).toMatch(/spec\.antiAffinity: Forbidden: .*it is false/);
  });

  test('validates CloudCredentials', async () => {
    const credential = (cloud: string): CloudCredential => ({
      apiVersion: API_VERSION,
      kind: cloudCredentials.kind,
      metadata: { name: 'c', namespace: 'team' },
      spec: { cloud, secretRef: { name: 's' }, reclaimPolicy: 'Retain' },
    });
    const resource = { group: 'fairway.dev', version: 'v1alpha1', resource: 'cloudcredentials' };
    const change = { resource, name: 'c', operation: 'UPDATE', object: credential('b'), oldObject: credential('a') };

    expect((await review(change)).response).toMatchObject({ allowed: false, status: { code: 422 } });
    expect((await review({ ...change, object: credential('a') })).response.allowed).toBe(true);
  });

  test('reads a generated name from the object, the only place that contains it', async () => {
    const metadata = { ...pool.metadata, name: 'general-abcde', generateName: 'general-' };
    const reviews: AdmissionRequest[] = [];
    await review({ name: '', object: { ...pool, metadata } }, (request) => void reviews.push(request));

    expect(reviews[0]?.name).toBe('general-abcde');
  });
});

test.each([
  ['{', 'the body is not JSON'],
  ['{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{}}', 'not an AdmissionReview of'],
  ['{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}', 'not an AdmissionReview of'],
])('%s is not a valid review', async (body, errorText) => {
  const sendReview = admissionWebhook({ admission: { name: 'test' }, ...parts });

  await expect(sendReview(body)).rejects.toMatchObject({ code: 400, message: expect.stringContaining(errorText) });
});
