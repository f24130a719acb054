import { extname, join } from 'node:path';
import type { ValueCodec } from '@fairway/apiserver/store/encryption';
import { SqliteDatabase } from '@fairway/apiserver/store/sqlite-database';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { OffHost } from '@fairway/control-plane/off-host/off-host-settings';
import type { UserRange } from '@fairway/control-plane/process/cluster-users';
import type { EgressExceptions } from '@fairway/control-plane/process/egress/egress-policy';
import { localMachine, localProcessRuntime } from '@fairway/control-plane/process/local-process-runtime';
import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import type { HollowControlPlaneFactory } from '@fairway/control-plane/simulated/hollow-contract';
import { SimulatedProcessRuntime } from '@fairway/control-plane/simulated/simulated-process-runtime';
import { SimulatedRuntime } from '@fairway/control-plane/simulated/simulated-runtime';
import { createHollowControlPlane } from '@fairway/hollow/control-plane/hollow-control-plane';
import type { HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import { LocalServers } from '@fairway/kube/client/local-servers';
import type { Transport } from '@fairway/kube/client/transport';
import { SIMULATED_ENVIRONMENT, SIMULATED_PROCESS_FLAGS } from '../simulated-control-plane/process-flags.ts';
import { type Home, identifyProcess } from './home.ts';
import { homeId } from './home-id.ts';
import { splitSharedDatabase } from './split-shared-database.ts';

export interface ControlPlanesOptions {
  readonly home: Home;
  /** Encryption of the tenants' Secrets wherever Fairway stores them. */
  readonly codec: () => ValueCodec;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** The control-plane runtime of one Fairway instance. */
export interface ControlPlanes {
  readonly runtime: ControlPlaneRuntime;
  /** How clients in this process reach API servers that may be in this process too; over TLS by default. */
  readonly connect?: (options: HttpsTransportOptions) => Transport;
  /** Migrates the home of an earlier Fairway to the format of this runtime; runs before everything else. */
  takeOver?(): Promise<void>;
  /** Stops control planes of deleted clusters that an earlier Fairway left running. */
  stopDeletedClusters(isCluster: (uid: string) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Simulated control planes with databases in one file, so that concurrent writes share one flush. */
export function simulatedControlPlanes(
  options: ControlPlanesOptions,
  egress?: EgressExceptions,
  createHollow: HollowControlPlaneFactory = createHollowControlPlane,
): ControlPlanes {
  const database = SqliteDatabase.open(options.home.clustersDatabase, { codec: options.codec() });
  const localServers = new LocalServers();
  const runtime = new SimulatedRuntime({
    ...options,
    locals: localServers,
    createHollow,
    egress,
    auditFolder: options.home.clusterAudit,
    stores: {
      open: (clusterUid) => database.openStore(clusterUid),
      drop: (clusterUid) => database.dropKeyspace(clusterUid),
      list: () => Promise.resolve(database.keyspaces),
    },
  });
  return {
    runtime,
    connect: (clusterOptions) => localServers.transport(clusterOptions),
    // These control planes ran in the previous process.
    stopDeletedClusters: () => Promise.resolve(),
    async close() {
      await runtime.close();
      await database.close();
    },
  };
}

/** The package contains JavaScript instead of TypeScript sources. */
const SIMULATED_SCRIPT = join(import.meta.dirname, `../simulated-control-plane/main${extname(import.meta.filename)}`);

/** Simulated control planes that keep running when Fairway stops, for the next replica to take over. */
export function simulatedProcesses({
  env,
  address,
  egress,
}: Pick<ProcessControlPlanes, 'env' | 'address' | 'egress'>): (options: ControlPlanesOptions) => ControlPlanes {
  return ({ home, codec, clock, random, log }) => {
    const machine = localMachine(identifyProcess, address, env);
    const runtime = new SimulatedProcessRuntime({
      ...machine,
      env: { ...machine.env, ...SIMULATED_ENVIRONMENT },
      folder: home.simulatedControlPlanes,
      program: { command: process.execPath, args: [...SIMULATED_PROCESS_FLAGS, SIMULATED_SCRIPT] },
      egress,
      clock,
      random,
      log,
    });
    return {
      runtime,
      takeOver: () => splitSharedDatabase(home, codec),
      // The replica that managed deleted clusters has removed their control planes.
      stopDeletedClusters: () => Promise.resolve(),
      close: () => runtime.close(),
    };
  };
}

interface ProcessControlPlanes {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Contains a directory of snapshots for each cluster. */
  readonly snapshotFolder: string;
  /** Bind address of API servers. */
  readonly address: string;
  /** Whether control planes keep running when Fairway stops, for the next Fairway to take over. */
  readonly keepRunning: boolean;
  /** User IDs for clusters, if this process may switch users. */
  readonly users: UserRange;
  /** Exceptions to the egress rule of API servers. */
  readonly egress: EgressExceptions;
  /** IPv4 ranges that may reach every API server. */
  readonly alwaysAllowed: readonly string[];
  /** Store for copies of snapshots, opened on demand; if undefined, no copies are stored. */
  readonly offHost: ((clock: Clock) => OffHost) | undefined;
}

/** Real control planes, as processes on this machine. */
export function processControlPlanes({
  env,
  address,
  snapshotFolder,
  keepRunning,
  users,
  egress,
  alwaysAllowed,
  offHost: openOffHost,
}: ProcessControlPlanes): (options: ControlPlanesOptions) => ControlPlanes {
  return ({ home, clock, random, log }) => {
    const offHost = openOffHost?.(clock);
    const runtime = localProcessRuntime({
      folder: home.controlPlanes,
      address,
      snapshotFolder,
      users,
      egress,
      homeId: homeId(home),
      alwaysAllowed,
      archive: offHost?.snapshots,
      env,
      binaryFolders: [],
      identify: identifyProcess,
      clock,
      random,
      log,
    });
    return {
      runtime,
      stopDeletedClusters: (isCluster) => runtime.stopUnwanted(isCluster),
      async close() {
        await (keepRunning ? runtime.detach() : runtime.close());
        await offHost?.store.close();
      },
    };
  };
}
