import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { type Clock, systemClock } from '@fairway/base/clock';
import { trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import { COMPONENT_VALIDITY_MS } from '@fairway/control-plane/pki/component-certificates';
import type { ControlPlaneState } from '@fairway/control-plane/runtime';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ServiceAccount } from '@fairway/kube/kinds/generated/types';
import { Namespaces, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pidsOf } from './process-runtime/local-processes.ts';
import { CLUSTER_UID, isRunning, ProcessCluster } from './process-runtime/process-cluster.ts';
import { testReleases } from './process-runtime/releases.ts';

const { offered, old } = await testReleases();
const release = offered ?? old;
const described = release ? `with Kubernetes ${release.described}` : '(skipped: no binaries are found)';
const DAY_MS = 86_400_000;
const DAYS_LEFT = 5;

/** A clock so far behind that certificates issued by it expire in a few days. */
const lastYearClock: Clock = {
  ...systemClock,
  now: () => systemClock.now() - COMPONENT_VALIDITY_MS + DAYS_LEFT * DAY_MS,
};

describe.skipIf(release === undefined)(`certificates of a control plane ${described}`, () => {
  let parent: string;
  let cluster: ProcessCluster;
  let client: KubeClient | undefined;

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'fairway-certificates-'));
    const assets = release?.assets(parent) ?? '';
    cluster = await ProcessCluster.open(parent, assets, release?.version ?? '', lastYearClock);
  });
  afterAll(async () => {
    client?.close();
    await cluster?.runtime.close();
    await rm(parent, { recursive: true, force: true });
  });

  /** The certificate that the API server presents to any client. */
  function served({ endpoint }: ControlPlaneState): Promise<PeerCertificate> {
    return new Promise((resolve, reject) => {
      const ca = trustBundle(cluster.spec.pki.cluster);
      const socket = connect({ host: endpoint?.host ?? '', port: endpoint?.port ?? 0, ca }, () => {
        resolve(socket.getPeerCertificate());
        socket.end();
      });
      socket.once('error', reject);
    });
  }

  test('are renewed before they expire, without a restart', async () => {
    const state = await cluster.waitForState(isRunning);
    const before = await served(state);
    const pids = pidsOf(cluster.folder);
    expect(Date.parse(before.valid_to) - Date.now()).toBeLessThanOrEqual(DAYS_LEFT * DAY_MS);
    expect(Math.abs((state.certificatesEndMs ?? 0) - Date.parse(before.valid_to))).toBeLessThan(60_000);

    // Time has passed, so another Fairway takes over the running processes.
    await cluster.runtime.release(CLUSTER_UID);
    cluster.runtime = cluster.openRuntime();
    const renewedState = await cluster.waitForState(isRunning);
    let after = await served(state);
    // kube-apiserver does not report when it has read the certificates: old releases check once a minute.
    while (after.serialNumber === before.serialNumber) {
      await systemClock.sleep(200);
      after = await served(state);
    }

    expect(Date.parse(after.valid_to) - Date.now()).toBeGreaterThan(COMPONENT_VALIDITY_MS - DAY_MS);
    // All certificates were issued within a second or two.
    expect(Math.abs((renewedState.certificatesEndMs ?? 0) - Date.parse(after.valid_to))).toBeLessThan(60_000);
    expect(pidsOf(cluster.folder)).toEqual(pids);
  });

  test('let controllers keep working after renewal', async () => {
    client = await cluster.connect(await cluster.waitForState(isRunning));
    await client.resource(Namespaces).create({ metadata: { name: 'later' }, spec: {} });

    const accounts = client.resource<ServiceAccount>(ServiceAccounts);
    await eventually(accounts, { namespace: 'later' }, (found) => found.length === 1);
    expect(pidsOf(cluster.folder)['kube-controller-manager']).toBeDefined();
  });
});
