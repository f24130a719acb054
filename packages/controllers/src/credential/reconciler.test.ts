import { FINALIZER } from '@fairway/api/group';
import { FakeClock } from '@fairway/base/clock-fake';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Attempts } from '@fairway/kube/controller/attempts';
import { forbidden } from '@fairway/kube/object/api-error';
import { FakeTransport } from '@fairway/kube/testing/fake-transport';
import { classifyError } from '@fairway/tenancy/reconcile/failure';
import { describe, expect, test } from 'vitest';
import type { ControllerDependencies } from '../dependencies.ts';
import { CredentialReconciler } from './reconciler.ts';

const STATUS = 'PATCH /apis/fairway.dev/v1alpha1/namespaces/team/cloudcredentials/mine/status';
const metadata = { name: 'mine', namespace: 'team', uid: 'u', generation: 1, finalizers: [FINALIZER] };
const spec = { cloud: 'west', secretRef: { name: 'mine' }, reclaimPolicy: 'Retain' };

/** A credential that Keystone accepts or rejects according to `login`. */
function start(login: () => Promise<unknown>, { isGoing = false } = {}) {
  const clock = new FakeClock();
  const api = new FakeTransport(() => ({ body: { items: [] } }));
  const revoked: string[] = [];
  const identity = {
    applicationCredentials: () => Promise.resolve([]),
    deleteApplicationCredential: async (id: string) => void revoked.push(id),
  };
  const going = isGoing ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  const found = { metadata: { ...metadata, ...going }, spec, status: { phase: 'Available' } };
  const reconciler = new CredentialReconciler({
    client: new KubeClient(api, { clock }),
    cache: { credentials: { get: () => found }, clusters: { find: () => [] } },
    projects: { forNamespace: () => ({ client: { session: { renew: login }, identity }, retryNow() {} }) },
    attempts: new Attempts({ clock, random: () => 1, classify: classifyError }),
    events: { warning() {} },
    clock,
  } as unknown as ControllerDependencies);
  const reportedCondition = () => JSON.parse(api.requests.at(-1)?.body ?? '{}').status?.conditions?.[0];
  return { reconciler, api, revoked, reportedText: reportedCondition };
}

const token = { user: { name: 'u' }, roles: [], application_credential: { id: 'a1', restricted: false } };

describe('a CloudCredential', () => {
  const signal = new AbortController().signal;

  test('is reported as unknown, not refused, if Fairway cannot check it because its Secret is not returned', async () => {
    const { reconciler, api, reportedText } = start(() =>
      Promise.reject(forbidden({ resource: 'secrets', name: 'mine' }, 'no')),
    );

    const result = await reconciler.reconcile('team/mine', { signal });

    expect(api.requestLines).toEqual([STATUS]);
    expect(reportedText()).toMatchObject({ type: 'Ready', status: 'Unknown', reason: 'InternalError' });
    expect(result).toEqual({ requeueAfterMs: 30_000, failure: {} });
  });

  test('is reported as unknown after a fault of Fairway, which is then rethrown', async () => {
    const fault = new TypeError('x is undefined');
    const { reconciler, reportedText } = start(() => Promise.reject(fault));

    await expect(reconciler.reconcile('team/mine', { signal })).rejects.toBe(fault);
    expect(reportedText()).toMatchObject({ status: 'Unknown', reason: 'InternalError' });
  });

  test.each([
    { step: 'checked', isGoing: false },
    { step: 'revoked', isGoing: true },
  ])('is left to the next owner if the signal is aborted while it is being $step', async ({ isGoing }) => {
    const abort = new AbortController();
    const login = async () => {
      abort.abort();
      return { token };
    };
    const { reconciler, api, revoked } = start(login, { isGoing });

    await expect(reconciler.reconcile('team/mine', { signal: abort.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(api.requestLines.filter((line) => !line.startsWith('GET'))).toEqual([]);
    expect(revoked).toEqual([]);
  });

  test('is revoked before it is deleted', async () => {
    const { reconciler, api, revoked } = start(async () => ({ token }), { isGoing: true });

    expect(await reconciler.reconcile('team/mine', { signal })).toEqual({});
    expect(revoked).toEqual(['a1']);
    expect(api.requestLines.at(-1)).toBe('PATCH /apis/fairway.dev/v1alpha1/namespaces/team/cloudcredentials/mine');
  });
});
