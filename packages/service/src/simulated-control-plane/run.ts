import { join } from 'node:path';
import { bucketOf } from '@fairway/apiserver/server/served-resource';
import { encryptBuckets } from '@fairway/apiserver/store/encryption';
import { SqliteDatabase } from '@fairway/apiserver/store/sqlite-database';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { TENANT_AUDIT_FOLDER } from '@fairway/control-plane/audit/tenant-audit-log';
import { SimulatedControlPlane } from '@fairway/control-plane/simulated/simulated-control-plane';
import type { SimulatedControlPlaneFile } from '@fairway/control-plane/simulated/spec-file';
import { createHollowControlPlane } from '@fairway/hollow/control-plane/hollow-control-plane';
import { Secrets } from '@fairway/kube/kinds/resources';
import { CLUSTER_DATABASE } from './database-file.ts';

export interface SimulatedControlPlaneOptions extends SimulatedControlPlaneFile {
  /** The directory that contains the database. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const CERTIFICATE_CHECK_MS = 3_600_000;

/** Runs one simulated control plane until the signal aborts; resolves when its database is closed. */
export async function runSimulatedControlPlane(options: SimulatedControlPlaneOptions): Promise<void> {
  const { spec, encryptionKey, egress, folder, clock, random, log, signal } = options;
  const key = { id: 'cluster', key: Buffer.from(encryptionKey, 'base64') };
  const database = SqliteDatabase.open(join(folder, CLUSTER_DATABASE), {
    codec: encryptBuckets([bucketOf(Secrets)], [key]),
  });
  try {
    const { host } = spec.endpoint;
    const store = database.store(spec.cluster.uid);
    const controlPlane = await SimulatedControlPlane.start(store, spec, {
      createHollow: createHollowControlPlane,
      auditFolder: join(folder, TENANT_AUDIT_FOLDER),
      // This process serves no metrics; losses appear in its log.
      auditObserver: { onWritten() {}, onLost() {}, onWriteFailed() {} },
      host,
      egress,
      clock,
      random,
      log,
    });
    try {
      await renewUntilStopped(signal, clock, () => controlPlane.renewCertificate(spec));
    } finally {
      await controlPlane.stop();
      await store.close();
    }
  } finally {
    await database.close();
  }
}

async function renewUntilStopped(signal: AbortSignal, clock: Clock, renew: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await renew();
    await clock.sleep(CERTIFICATE_CHECK_MS, signal).catch(() => undefined);
  }
}
