import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { createClusterPki } from '@fairway/control-plane/pki/cluster-pki';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runSimulatedControlPlane } from '../../simulated-control-plane/run.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-simulated-process-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a control plane in its own process writes requested audit data to its directory', async () => {
  const stop = new AbortController();
  const running = runSimulatedControlPlane({
    spec: {
      cluster: { uid: 'uid-1', name: 'demo', namespace: 'team' },
      version: '1.35.8',
      pki: await createClusterPki(systemClock),
      podCIDR: '10.2.0.0/16',
      serviceCIDR: '10.3.0.0/16',
      apiServer: {
        admissionPlugins: { enabled: [], disabled: [] },
        audit: { level: 'Metadata', reads: false },
      },
      topology: { topology: 'SingleZone', replicas: 1 },
      etcdQuotaBytes: 10 * 2 ** 20,
      dnsNames: [],
      ipAddresses: [],
      nodeNetworks: [],
      nodeAddresses: [],
      endpoint: { host: '127.0.0.1', port: 0 },
    },
    encryptionKey: Buffer.alloc(32).toString('base64'),
    folder,
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
    signal: stop.signal,
  });
  stop.abort();
  await running;

  const log = await readFile(join(folder, 'logs/tenant-audit.log'), 'utf8');
  const events = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEvent);
  // Created for every cluster when it starts.
  expect(events.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource} ${objectRef?.name}`)).toContain(
    'create namespaces kube-system',
  );
});
