import { join } from 'node:path';
import { SimulatedControlPlane } from '@fairway/control-plane/simulated/simulated-control-plane';
import type { SimulatedControlPlaneFile } from '@fairway/control-plane/simulated/spec-file';
import { createHollowControlPlane } from '@fairway/hollow/control-plane/hollow-control-plane';
import type { Clock } from '@fairway/kube/clock';
import { Secrets } from '@fairway/kube/kinds/resources';
import type { Logger } from '@fairway/kube/log';
import { bucketOf } from '@fairway/kube/server/served-resource';
import { encryptBuckets } from '@fairway/kube/store/encryption';
import { SqliteDatabase } from '@fairway/kube/store/sqlite-database';
import { CLUSTER_DATABASE } from './database-file.ts';

export interface SimulatedControlPlaneOptions extends SimulatedControlPlaneFile {
  /** Holds the database. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const CERTIFICATE_CHECK_MS = 3_600_000;

/** Runs one simulated control plane until the signal aborts; resolves when its database is closed. */
export async function runSimulatedControlPlane(options: SimulatedControlPlaneOptions): Promise<void> {
  const { spec, encryptionKey, folder, clock, random, log, signal } = options;
  const key = { id: 'cluster', key: Buffer.from(encryptionKey, 'base64') };
  const database = SqliteDatabase.open(join(folder, CLUSTER_DATABASE), {
    codec: encryptBuckets([bucketOf(Secrets)], [key]),
  });
  try {
    const { host } = spec.endpoint;
    const store = database.store(spec.cluster.uid);
    const plane = await SimulatedControlPlane.start(store, spec, {
      createHollow: createHollowControlPlane,
      host,
      clock,
      random,
      log,
    });
    try {
      await renewUntil(signal, clock, () => plane.renewCertificate(spec));
    } finally {
      await plane.stop();
      await store.close();
    }
  } finally {
    await database.close();
  }
}

async function renewUntil(signal: AbortSignal, clock: Clock, renew: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await renew();
    await clock.sleep(CERTIFICATE_CHECK_MS, signal).catch(() => undefined);
  }
}
