import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { SnapshotArchive } from '../off-host/snapshot-archive.ts';
import { localNft, type Nft } from './access/nft.ts';
import { DEFAULT_USERS, type UserRange } from './cluster-users.ts';
import type { EgressNetwork } from './egress/egress-network.ts';
import { machineAddresses, machineNetwork } from './egress/egress-network.ts';
import type { EgressExceptions } from './egress/egress-policy.ts';
import { isExecutable } from './executables.ts';
import { diskFiles } from './files.ts';
import { type Binaries, binaryFolders, findBinaries } from './find-binaries.ts';
import { networkProbes } from './probes.ts';
import { localProcessHost, type ProcessHost } from './process-host.ts';
import { ProcessRuntime } from './process-runtime.ts';
import type { RunCommand } from './snapshots/restore-tool.ts';
import { localIsolation } from './tenant-isolation.ts';

export interface LocalProcessRuntimeOptions {
  /** The directory that contains a subdirectory for each cluster. */
  readonly folder: string;
  /** See ProcessRuntimeOptions. */
  readonly address?: string;
  /** Like `folder`, for snapshots. */
  readonly snapshotFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directories to search for binaries, after KUBEBUILDER_ASSETS and PATH. */
  readonly binaryFolders: readonly string[];
  readonly identify: ProcessHost['identify'];
  /** User IDs for clusters, if this process may switch users; see DEFAULT_USERS. */
  readonly users?: UserRange;
  /** Exceptions to the egress policy. */
  readonly egress?: EgressExceptions;
  /** This machine's nft by default. */
  readonly network?: EgressNetwork;
  /** Names this directory's firewall rules: letters and digits. */
  readonly homeId: string;
  /** IPv4 ranges that may reach every API server, regardless of what its cluster allows. */
  readonly alwaysAllowed?: readonly string[];
  /** This machine's network by default; null disables it. */
  readonly nft?: Nft | null;
  /** Where copies of snapshots are stored. */
  readonly archive?: SnapshotArchive | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

const LOOPBACK = '127.0.0.1';

/** The runtime based on this machine's processes, files and network. */
export function localProcessRuntime(options: LocalProcessRuntimeOptions): ProcessRuntime {
  const { folder, snapshotFolder, address = LOOPBACK, env, identify, clock, random, log } = options;
  return new ProcessRuntime({
    folder,
    snapshotFolder,
    toolFolders: binaryFolders(env, options.binaryFolders),
    runCommand: commandRunner(env),
    ...localMachine(identify, address, env),
    egress: {
      network: options.network ?? machineNetwork,
      exceptions: options.egress ?? { allowed: [], denied: [] },
      ownAddresses: machineAddresses,
    },
    access: {
      homeId: options.homeId,
      nft: options.nft === undefined ? localNft(env) : (options.nft ?? undefined),
      alwaysAllowed: options.alwaysAllowed ?? [],
    },
    archive: options.archive,
    isolation: localIsolation({ folder: `${folder}-users`, range: options.users ?? DEFAULT_USERS, env, random }),
    findBinaries: localBinarySearch(env, options.binaryFolders),
    clock,
    random,
    log,
  });
}

/** The parts of this machine that a runtime needs to run programs. */
export function localMachine(
  identify: ProcessHost['identify'],
  address: string,
  env: Readonly<Record<string, string | undefined>>,
) {
  return {
    address,
    host: localProcessHost(identify),
    probes: networkProbes,
    files: diskFiles,
    isPortFree: (port: number) => isPortFree(address, port),
    env: commandEnvironment(env),
  };
}

/** Every set of binaries on this machine. */
export function findLocalBinaries(
  env: Readonly<Record<string, string | undefined>>,
  additionalFolders: readonly string[],
): Promise<readonly Binaries[]> {
  return findBinaries({ folders: binaryFolders(env, additionalFolders), isExecutable, run: commandRunner(env) });
}

/**
 * Like `findLocalBinaries`, for repeated calls: a binary is asked for its version again only after its file has
 * changed.
 */
function localBinarySearch(env: LocalProcessRuntimeOptions['env'], additionalFolders: readonly string[]) {
  const run = commandRunner(env);
  const reportedOutputs = new Map<string, { readonly stamp: string; readonly output: string }>();
  const runOnce: RunCommand = async (command, args) => {
    const { mtimeMs, size } = statSync(command);
    const stamp = `${mtimeMs} ${size}`;
    const known = reportedOutputs.get(command);
    if (known?.stamp === stamp) return known.output;
    const output = await run(command, args);
    reportedOutputs.set(command, { stamp, output });
    return output;
  };
  return () => findBinaries({ folders: binaryFolders(env, additionalFolders), isExecutable, run: runOnce });
}

/** Runs short-lived commands that print something or create a file; their output is small. */
const COMMAND_TIMEOUT_MS = 600_000;

export function commandRunner(env: Readonly<Record<string, string | undefined>>): RunCommand {
  return async (command, args) => {
    const options = { timeout: COMMAND_TIMEOUT_MS, env: commandEnvironment(env) };
    const { stdout } = await promisify(execFile)(command, args, options);
    return stdout;
  };
}

/**
 * The part of Fairway's own environment that programs inherit: no cloud settings, credentials or proxies, but the CAs
 * of OIDC issuers.
 */
const INHERITED_VARIABLES = ['PATH', 'TMPDIR', 'TZ', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

function commandEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    INHERITED_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

function isPortFree(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, address, () => server.close(() => resolve(true)));
  });
}
