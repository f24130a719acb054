import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiServerAudit } from '@fairway/api/kinds/cluster-audit';
import { type AuditEvent, isDryRun } from '@fairway/apiserver/audit/audit-event';
import { systemClock } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import { clusterAdminsBinding, endpointUrl, mintKubeconfig } from '@fairway/control-plane/kubeconfig';
import { trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import { ClusterAuditReader } from '@fairway/gateway/cluster-audit/cluster-audit-reader';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { ClusterRoleBindings, ConfigMaps, Namespaces, Secrets, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLUSTER_UID, isRunning, ProcessCluster } from './process-runtime/process-cluster.ts';
import { testReleases } from './process-runtime/releases.ts';
import { clientOf } from './session/client-of.ts';

const { offered, old } = await testReleases();
const release = offered ?? old;
const described = release ? `with Kubernetes ${release.described}` : '(skipped: no binaries are found)';

/** The audit log of a real kube-apiserver, as tenants read it. */
describe.skipIf(release === undefined)(`audit events of a control plane ${described}`, () => {
  let parent: string;
  let cluster: ProcessCluster;
  let client: KubeClient;
  const setAudit = (audit: ApiServerAudit | undefined) => {
    const { audit: _, ...apiServer } = cluster.spec.apiServer;
    cluster.spec = { ...cluster.spec, apiServer: { ...apiServer, ...(audit && { audit }) } };
    return cluster.waitForState(isRunning);
  };

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'fairway-process-audit-'));
    cluster = await ProcessCluster.open(parent, release?.assets(parent) ?? '', release?.version ?? '');
    const state = await setAudit(undefined);
    const fairway = await cluster.connect(state);
    await fairway.resource(ClusterRoleBindings).create(clusterAdminsBinding());
    await fairway
      .resource(Namespaces)
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' }, spec: {} });
    fairway.close();
    if (state.endpoint === undefined) throw new Error('the control plane has no endpoint');
    const { kubeconfig } = await mintKubeconfig({
      clusterName: 'demo',
      endpoint: state.endpoint,
      pki: cluster.spec.pki,
      username: 'alice',
      clock: systemClock,
    });
    await writeFile(join(parent, 'kubeconfig'), kubeconfig);
    client = await clientOf(join(parent, 'kubeconfig'));
  });
  afterAll(async () => {
    client?.close();
    await cluster?.runtime.close();
    await rm(parent, { recursive: true, force: true });
  });

  /** The whole log, newest first, in as many pages as necessary. */
  async function read(limit = 500): Promise<readonly AuditEvent[]> {
    const clusterRef = { uid: CLUSTER_UID, namespace: 'team' };
    const skipped: number[] = [];
    const clock = new FakeClock();
    const reader = new ClusterAuditReader(
      (uid) => cluster.runtime.auditLog(uid),
      { onSkipped: (lines) => skipped.push(lines) },
      clock,
    );
    const events: AuditEvent[] = [];
    let page = await reader.read(clusterRef, { limit, sinceMs: 0, matches: () => true }, undefined);
    for (; page !== undefined; ) {
      events.push(...page.events);
      if (page.next === undefined) break;
      // Two pages a second are allowed.
      await clock.advance(1_000);
      page = await reader.read(clusterRef, { limit, sinceMs: 0, matches: () => true }, page.next);
    }
    expect(skipped).toEqual([]);
    return events;
  }
  const summarize = ({ verb, level, objectRef }: AuditEvent) =>
    `${verb} ${objectRef?.resource} ${objectRef?.name} ${level}`;
  const aliceEvents = async () =>
    (await read()).filter(({ user, objectRef }) => user.username === 'alice' && objectRef?.namespace === 'shop');

  test('are only in a log for the operator if the cluster does not request audit', async () => {
    const metadata = { name: 'before', namespace: 'shop' };
    await client.resource(ConfigMaps).create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });

    expect(await read()).toEqual([]);
    expect(await readFile(join(cluster.folder, 'logs/audit.log'), 'utf8')).toContain('"before"');
  });

  test('record actions from the moment the cluster requests audit, and never quote Secrets', async () => {
    await setAudit({ level: 'Request', reads: false });
    const at = { namespace: 'shop' };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', ...at }, stringData: { a: 'hunter2' } };
    await client.resource(Secrets).create(secret);
    await client.resource(Secrets).get('s', at);
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a', ...at } };
    await client.resource(ServiceAccounts).create(account);
    await client.resource(ServiceAccounts).get('a', at);
    await client.resource(ServiceAccounts).delete('a', { ...at, dryRun: true });
    await client.resource(ServiceAccounts).delete('a', at);
    const events = await aliceEvents();

    expect(events.map(summarize)).toEqual([
      'delete serviceaccounts a Request',
      'delete serviceaccounts a Request',
      'create serviceaccounts a Request',
      'get secrets s Metadata',
      'create secrets s Metadata',
    ]);
    expect(events.map(isDryRun)).toEqual([false, true, false, false, false]);
    expect(JSON.stringify(await read())).not.toMatch(/hunter2|aHVudGVyMg|"before"/);
    expect(events[2]).toMatchObject({ requestObject: { kind: 'ServiceAccount' }, sourceIPs: ['127.0.0.1'] });
  });

  test('record a long request, and do not report a deletion as a dry run', async () => {
    const body = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1' });
    const headers = { 'content-type': 'application/json' };
    const root = '/api/v1/namespaces/shop/serviceaccounts';
    for (const query of ['dryRun=All', `dryRun=All&x=${'&'.repeat(900 * 1024)}`]) {
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'long', namespace: 'shop' } };
      await client.resource(ServiceAccounts).create(account);
      await client.raw({ method: 'DELETE', path: `${root}/long?${query}`, headers, body });
    }
    const deletions = (await aliceEvents()).filter(
      ({ verb, objectRef }) => verb === 'delete' && objectRef?.name === 'long',
    );

    expect(deletions.map(isDryRun)).toEqual([false, false]);
    expect(deletions.map(({ requestURI }) => requestURI)).toEqual([
      `${root}/long?dryRun=All...TRUNCATED`,
      `${root}/long?dryRun=All`,
    ]);
  });

  test('record reads on request', async () => {
    await setAudit({ level: 'Metadata', reads: true });
    await client.resource(ConfigMaps).get('before', { namespace: 'shop' });

    expect((await aliceEvents()).map(summarize)[0]).toBe('get configmaps before Metadata');
    // The control plane and the operator's Fairway read all the time.
    const readers = (await read()).filter(({ verb }) => verb === 'get').map(({ user }) => user.username);
    expect(new Set(readers)).toEqual(new Set(['alice']));
  });

  test('are the same when read page by page', async () => {
    const ids = (events: readonly AuditEvent[]) => events.map(({ auditID, stage }) => `${auditID} ${stage}`);
    const [whole, pages] = [await read(), await read(2)];

    expect(whole.length).toBeGreaterThan(4);
    expect(ids(pages).slice(-whole.length)).toEqual(ids(whole));
  });

  test('contain nothing about invalid credentials', async () => {
    const { endpoint } = await cluster.runtime.ensure(cluster.spec);
    const server = endpoint && endpointUrl(endpoint);
    const certificateAuthority = trustBundle(cluster.spec.pki.cluster);
    for (const bearerToken of [() => 'stolen', undefined]) {
      const transport = new HttpsTransport({
        server: server ?? '',
        certificateAuthority,
        ...(bearerToken && { bearerToken }),
        clock: systemClock,
      });
      const otherClient = new KubeClient(transport);
      await expect(otherClient.resource(Secrets).list({ namespace: 'shop' })).rejects.toMatchObject({
        code: bearerToken ? 401 : 403,
      });
      otherClient.close();
    }
    await client.resource(ConfigMaps).get('before', { namespace: 'shop' });
    const events = await read();

    expect(events[0]).toMatchObject({ user: { username: 'alice' }, verb: 'get' });
    expect(events.filter(({ verb, objectRef }) => verb === 'list' && objectRef?.resource === 'secrets')).toEqual([]);
    expect(events.map(({ user }) => user.username)).not.toContain('system:anonymous');
  });
});
