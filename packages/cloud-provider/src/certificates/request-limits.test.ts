import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { aCluster } from '@fairway/api/testing/objects';
import { SIGNERS } from '@fairway/apiserver/auth/certificates/signers';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { forbidden } from '@fairway/kube/object/api-error';
import { createCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { generateKeyPair } from '@fairway/kube/pki/key-pair';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { expect, test } from 'vitest';
import { ApprovalReconciler } from './approval-reconciler.ts';

const FLOOD = 10_000;
const context = { signal: new AbortController().signal };
const keys = await generateKeyPair();

const cluster: Cluster = aCluster({}, { name: 'demo', namespace: 'team' });
cluster.metadata.uid = 'cluster-uid';
const machine: Machine = {
  metadata: { name: 'demo-general-a', namespace: 'team', uid: 'machine-uid' },
  spec: { clusterName: 'demo', nodePoolName: 'general', flavor: 'f', image: 'i', version: '1.34.2', floatingIP: false },
};

async function requestFor(commonName: string): Promise<string> {
  const pem = await createCertificateRequest({ keys, commonName, organizations: ['system:nodes'] });
  return Buffer.from(pem).toString('base64');
}

/** A reconciler with this many CSRs from one cluster, and its actions. */
function approvalsOf(
  requests: readonly CertificateSigningRequest['spec'][],
  clock: FakeClock,
  tokenID = () => Promise.resolve('abcdef'),
) {
  const done = { lookUps: 0, writes: 0 };
  const get = (name: string): CertificateSigningRequest => ({
    metadata: { name },
    spec: requests[Number(name)] as CertificateSigningRequest['spec'],
  });
  const tenant = {
    clusterUid: 'cluster-uid',
    clusterKey: 'team/demo',
    informers: { informer: () => ({ get }) },
    nodes: { get: () => undefined },
    client: {
      resource: () => ({
        patch: () => {
          done.writes += 1;
          return Promise.resolve();
        },
      }),
    },
  } as unknown as TenantCluster;
  const approvals = new ApprovalReconciler({
    cache: {
      clusters: { get: () => cluster },
      machines: { get: (key) => (key === 'team/demo-general-a' ? machine : undefined) },
    },
    clouds: {
      of: () => {
        done.lookUps += 1;
        return undefined;
      },
    },
    tenants: { get: () => tenant },
    bootstrapper: { tokenID },
    clock,
    log: silentLogger,
  });
  return { approvals, done };
}

const spec = (username: string, request: string, usages = ['client auth']) => ({
  username,
  groups: ['system:nodes', 'system:bootstrappers'],
  request,
  usages,
  signerName: SIGNERS.kubeletClient,
});

test(`makes no server lookups and few writes for ${FLOOD} requests from unknown requesters`, async () => {
  const clock = new FakeClock();
  const [own, other] = [await requestFor('system:node:demo-general-a'), await requestFor('system:node:elsewhere')];
  const tampered = own.replace(/.{12}$/, 'AAAAAAAAAAA=');
  const hostile = [
    spec('mallory', own),
    spec('system:bootstrap:', own),
    spec('system:bootstrap:zzzzzz', own),
    spec('system:bootstrap:abcdef', other),
    spec('system:node:demo-general-b', own),
    spec('system:bootstrap:abcdef', own.repeat(100)),
    spec('system:bootstrap:abcdef', own, ['client auth', 'cert sign']),
    spec('system:bootstrap:abcdef', 'bm8gcmVxdWVzdA=='),
    spec('system:bootstrap:abcdef', tampered),
  ];
  const requests = Array.from({ length: FLOOD }, (_, index) => hostile[index % hostile.length] ?? spec('', own));
  const { approvals, done } = approvalsOf(requests, clock);

  const postponed = new Set<number>();
  for (let index = 0; index < FLOOD; index++) {
    const { requeueAfterMs } = await approvals.reconcile(`cluster-uid/${index}`, context);
    if (requeueAfterMs !== undefined) postponed.add(index);
  }
  const immediate = done.writes;
  await clock.advance(60_000);
  for (const index of postponed) await approvals.reconcile(`cluster-uid/${index}`, context);

  expect(done.lookUps).toBe(0);
  expect(postponed.size).toBe(FLOOD - 500);
  expect(immediate).toBe(50);
  expect(done.writes).toBe(immediate + 30);
});

test('looks up the server of a proven machine ten times at first, and then once a minute', async () => {
  const clock = new FakeClock();
  const own = await requestFor('system:node:demo-general-a');
  const requests = Array.from({ length: 100 }, () => spec('system:bootstrap:abcdef', own));
  const { approvals, done } = approvalsOf(requests, clock);

  for (let index = 0; index < 100; index++) await approvals.reconcile(`cluster-uid/${index}`, context);
  const immediate = done.lookUps;
  await clock.advance(120_000);
  for (let index = 0; index < 100; index++) await approvals.reconcile(`cluster-uid/${index}`, context);

  expect([immediate, done.lookUps]).toEqual([10, 12]);
});

test('retries a request after an error, with backoff, because an error is not a decision', async () => {
  const own = await requestFor('system:node:demo-general-a');
  const refused = forbidden({ resource: 'secrets', name: 'pki' }, 'no');
  const requests = [spec('system:bootstrap:abcdef', own)];
  const { approvals, done } = approvalsOf(requests, new FakeClock(), () => Promise.reject(refused));

  expect(await approvals.reconcile('cluster-uid/0', context)).toEqual({ failure: {} });
  expect(done).toEqual({ lookUps: 0, writes: 0 });
});

test('leaves a request to the next process when the signal is aborted', async () => {
  const own = await requestFor('system:node:demo-general-a');
  const abort = new AbortController();
  const tokenID = () => {
    abort.abort();
    return Promise.resolve('abcdef');
  };
  const { approvals, done } = approvalsOf([spec('system:bootstrap:abcdef', own)], new FakeClock(), tokenID);

  await expect(approvals.reconcile('cluster-uid/0', { signal: abort.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(done).toEqual({ lookUps: 0, writes: 0 });
});
