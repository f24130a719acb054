import { randomBytes } from 'node:crypto';
import type { Endpoint, RestoreRequest } from '../runtime.ts';
import type { SettingsRecord } from './api-server-settings.ts';
import { type Files, pathsIn } from './files.ts';
import { RECORD } from './folder-layout.ts';
import type { ProcessUser } from './process-user.ts';

/** What is chosen once for a cluster, and must not be lost while it lives. */
export interface ClusterRecord {
  /** Where its API server listens; 127.0.0.1 in records from before there was a choice. */
  readonly address?: string;
  readonly port: number;
  /** Of Secrets at rest: 32 bytes in base64. */
  readonly encryptionKey: string;
  /** What etcd was last told. */
  readonly etcdQuotaBytes?: number;
  /** What the API server ran when it last served. */
  readonly version?: string;
  /** Whose it is; undefined in records from before tenants were told apart. */
  readonly namespace?: string;
  /** User and group that its programs run as; undefined: those of Fairway. */
  readonly userId?: number;
  readonly settings?: SettingsRecord;
  /** How often the data were replaced by those of a snapshot; says which folder they are in. */
  readonly dataGeneration?: number;
  /** Revision that the data of this generation began with. */
  readonly startRevision?: number;
  /** The request that the data of this generation come from. */
  readonly restored?: RestoreRequest & { readonly atMs: number };
}

/** Whom a cluster's programs run as; undefined: as Fairway itself. */
export function userOf({ userId }: ClusterRecord): ProcessUser | undefined {
  return userId === undefined ? undefined : { uid: userId, gid: userId };
}

/** Where nodes and users find the API server. */
export function endpointOf({ address = '127.0.0.1', port }: ClusterRecord): Endpoint {
  return { host: address, port };
}

export function readRecord(files: Files, folder: string): ClusterRecord | undefined {
  const text = files.read(pathsIn(folder)(RECORD));
  return text === undefined ? undefined : (JSON.parse(text) as ClusterRecord);
}

export function writeRecord(files: Files, folder: string, record: ClusterRecord): Promise<void> {
  return files.write(pathsIn(folder)(RECORD), JSON.stringify(record));
}

/** Share of a quota from which on a larger one is worth an interruption. */
const QUOTA_NEEDED_SHARE = 0.5;

/**
 * The quota that etcd is to run with. It reads its quota at its start alone, and the plan's grows with every node: it starts
 * again for a larger one only once its database needs that. A quota never shrinks.
 */
export function quotaToApply(applied: number | undefined, wanted: number, databaseBytes: number | undefined): number {
  if (applied === undefined) return wanted;
  const isNeeded = databaseBytes !== undefined && databaseBytes >= applied * QUOTA_NEEDED_SHARE;
  return isNeeded ? Math.max(applied, wanted) : applied;
}

export interface NewRecordInputs {
  readonly files: Files;
  /** The cluster's own, which is made. */
  readonly folder: string;
  /** Folders of the clusters that there are. */
  readonly others: readonly string[];
  /** Ports that were given out in this process, also to clusters whose record is not written yet; the new one is added. */
  readonly ports: Set<number>;
  readonly address: string;
  /** What clients were told already. */
  readonly endpoint: Endpoint | undefined;
  readonly random: () => number;
  readonly isPortFree: (port: number) => Promise<boolean>;
}

/** Writes the record of a cluster that is new, with a port that no other has. */
export async function makeRecord(inputs: NewRecordInputs): Promise<ClusterRecord> {
  const { files, folder, others, ports, address, endpoint, random, isPortFree } = inputs;
  for (const other of others) {
    const port = readRecord(files, other)?.port;
    if (port !== undefined) ports.add(port);
  }
  const port = endpoint?.port ?? (await choosePort(ports, random, isPortFree));
  ports.add(port);
  const record = { address: endpoint?.host ?? address, port, encryptionKey: newEncryptionKey() };
  await files.makeFolder(folder);
  await writeRecord(files, folder, record);
  return record;
}

export function newEncryptionKey(): string {
  return randomBytes(32).toString('base64');
}

/** Below the ports that Linux gives to connections (32768 on) and to NodePorts (30000 on), so that a port is free when its cluster starts again. */
const FIRST_PORT = 20_000;
const PORTS = 10_000;

/** A port that no cluster has and nobody uses now. */
export async function choosePort(
  taken: ReadonlySet<number>,
  random: () => number,
  isFree: (port: number) => Promise<boolean>,
): Promise<number> {
  for (let attempt = 0; attempt < PORTS; attempt++) {
    const port = FIRST_PORT + Math.floor(random() * PORTS);
    if (!taken.has(port) && (await isFree(port))) return port;
  }
  throw new Error(`no port from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} is free`);
}
