import { join } from 'node:path';
import type { ValueCodec } from '@fairway/apiserver/store/encryption';
import { SqliteDatabase } from '@fairway/apiserver/store/sqlite-database';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { UserRange } from '@fairway/control-plane/process/cluster-users';
import type { EgressExceptions } from '@fairway/control-plane/process/egress/egress-policy';
import { localMachine, localProcessRuntime } from '@fairway/control-plane/process/local-process-runtime';
import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import { SimulatedProcessRuntime } from '@fairway/control-plane/simulated/simulated-process-runtime';
import { SimulatedRuntime } from '@fairway/control-plane/simulated/simulated-runtime';
import { createHollowControlPlane } from '@fairway/hollow/control-plane/hollow-control-plane';
import { type Home, identifyProcess } from './home.ts';
import { moveOutOfOneFile } from './move-simulated.ts';

export interface ControlPlanesOptions {
  readonly home: Home;
  /** How the tenants' Secrets are kept where Fairway keeps them. */
  readonly codec: () => ValueCodec;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** The runtime of one Fairway. */
export interface ControlPlanes {
  readonly runtime: ControlPlaneRuntime;
  /** Brings what an earlier Fairway has left in the home into the form that this runtime knows; before all else. */
  takeOver?(): Promise<void>;
  /** Ends what an earlier Fairway left running for clusters that are no more. */
  stopAllBut(isCluster: (uid: string) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Simulated control planes whose databases share one file, and so one flush for what all of them write at a time. */
export function simulatedControlPlanes(options: ControlPlanesOptions): ControlPlanes {
  const database = SqliteDatabase.open(options.home.clustersDatabase, { codec: options.codec() });
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
    // They lived in the process that is gone.
    stopAllBut: () => Promise.resolve(),
    async close() {
      await runtime.close();
      await database.close();
    },
  };
}

const SIMULATED_PROGRAM = join(import.meta.dirname, '../simulated-control-plane/main.ts');
/** One serves a few nodes, and there may be many: little memory for young objects, few malloc arenas. */
const SIMULATED_FLAGS = ['--max-semi-space-size=2'];
const SIMULATED_ENVIRONMENT = { MALLOC_ARENA_MAX: '1' };

/** Simulated control planes that serve on when Fairway ends, for the replica that takes them over. */
export function simulatedProcesses({
  env,
  address,
}: Pick<ProcessControlPlanes, 'env' | 'address'>): (options: ControlPlanesOptions) => ControlPlanes {
  return ({ home, codec, clock, random, log }) => {
    const machine = localMachine(identifyProcess, address, env);
    const runtime = new SimulatedProcessRuntime({
      ...machine,
      env: { ...machine.env, ...SIMULATED_ENVIRONMENT },
      folder: home.simulatedControlPlanes,
      program: { command: process.execPath, args: [...SIMULATED_FLAGS, SIMULATED_PROGRAM] },
      clock,
      random,
      log,
    });
    return {
      runtime,
      takeOver: () => moveOutOfOneFile(home, codec),
      // Those of clusters that are gone were removed by whoever held them.
      stopAllBut: () => Promise.resolve(),
      close: () => runtime.close(),
    };
  };
}

interface ProcessControlPlanes {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Holds a folder of snapshots for each cluster. */
  readonly snapshotFolder: string;
  /** Where API servers listen. */
  readonly address: string;
  /** Whether they serve on when Fairway ends, for the next that starts. */
  readonly areLeft: boolean;
  /** User ids for clusters, where this process may give them. */
  readonly users: UserRange;
  /** What API servers may reach beyond the rule, and what not. */
  readonly egress: EgressExceptions;
}

/** Real control planes, as processes of this machine. */
export function processControlPlanes({
  env,
  address,
  snapshotFolder,
  areLeft,
  users,
  egress,
}: ProcessControlPlanes): (options: ControlPlanesOptions) => ControlPlanes {
  return ({ home, clock, random, log }) => {
    const runtime = localProcessRuntime({
      folder: home.controlPlanes,
      address,
      snapshotFolder,
      users,
      egress,
      env,
      binaryFolders: [],
      identify: identifyProcess,
      clock,
      random,
      log,
    });
    return {
      runtime,
      stopAllBut: (isCluster) => runtime.stopAllBut(isCluster),
      close: () => (areLeft ? runtime.detach() : runtime.close()),
    };
  };
}
