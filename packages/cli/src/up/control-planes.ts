import { SimulatedRuntime } from '@fairway/control-plane/simulated/simulated-runtime';
import { createHollowControlPlane } from '@fairway/hollow/control-plane/hollow-control-plane';
import type { Clock } from '@fairway/kube/clock';
import type { Logger } from '@fairway/kube/log';
import type { ValueCodec } from '@fairway/kube/store/encryption';
import { SqliteDatabase } from '@fairway/kube/store/sqlite-database';

/** Simulated control planes whose databases share one file, and so one flush for what all of them write at a time. */
export function simulatedControlPlanes(options: {
  readonly databasePath: string;
  /** How the tenants' Secrets are kept. */
  readonly codec: ValueCodec;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}): { readonly runtime: SimulatedRuntime; close(): Promise<void> } {
  const database = SqliteDatabase.open(options.databasePath, { codec: options.codec });
  const runtime = new SimulatedRuntime({
    ...options,
    createHollow: createHollowControlPlane,
    stores: {
      open: (clusterUid) => Promise.resolve(database.store(clusterUid)),
      drop: (clusterUid) => database.dropKeyspace(clusterUid),
      list: () => Promise.resolve(database.keyspaces),
    },
  });
  return {
    runtime,
    async close() {
      await runtime.close();
      await database.close();
    },
  };
}
