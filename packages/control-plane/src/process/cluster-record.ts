import { randomBytes } from 'node:crypto';
import { MAX_EARLIER_RESTORES, type RestoreRequest } from '@fairway/api/domain/restore-request';
import type { Endpoint } from '../runtime.ts';
import type { SettingsRecord } from './api-server-settings.ts';
import { type Files, pathResolver } from './files.ts';
import { RECORD_FILE } from './folder-layout.ts';
import type { RejectedPolicies } from './limit-policies/policy-trial.ts';
import type { ProcessUser } from './process-user.ts';

/** Settings that are chosen once for a cluster and must persist for its lifetime. */
export interface ClusterRecord {
  /** Bind address of the cluster's API server; records from before this was configurable contain 127.0.0.1. */
  readonly address?: string;
  readonly port: number;
  /** Encryption key for Secrets at rest: 32 bytes in base64. */
  readonly encryptionKey: string;
  /** The etcd quota last applied. */
  readonly etcdQuotaBytes?: number;
  /** The Kubernetes version with which the API server last served requests. */
  readonly version?: string;
  /** The tenant's namespace; undefined in records from before tenants were distinguished. */
  readonly namespace?: string;
  /** User and group that its programs run as; undefined: Fairway's own. */
  readonly userId?: number;
  readonly settings?: SettingsRecord;
  readonly rejectedPolicies?: RejectedPolicies | undefined;
  /** Whether the API server was restricted to certain addresses; if so, it must never start without the restriction. */
  readonly isRestricted?: boolean | undefined;
  /** How many times the data has been replaced from a snapshot. Selects the data directory. */
  readonly dataGeneration?: number;
  /** Revision at which this generation of the data began. */
  readonly startRevision?: number;
  /** The restore request that created this generation of the data. */
  readonly restored?: RestoreRequest & { readonly atMs: number };
  /** Earlier restore requests, newest first. They are never executed again. */
  readonly restoredBefore?: readonly RestoreRequest[];
}

/**
 * The record of a cluster after a reset: its endpoint and allowed addresses, and what its snapshots require. The key
 * for its Secrets is not a credential; it is needed to read earlier snapshots. A completed restore is not repeated.
 */
export function wipedRecord({
  address,
  port,
  encryptionKey,
  namespace,
  userId,
  isRestricted,
  restored,
  restoredBefore,
}: ClusterRecord): ClusterRecord {
  return {
    ...(address !== undefined && { address }),
    port,
    encryptionKey,
    ...(namespace !== undefined && { namespace }),
    ...(userId !== undefined && { userId }),
    ...(isRestricted !== undefined && { isRestricted }),
    ...(restored && { restored }),
    ...(restoredBefore && { restoredBefore }),
  };
}

/** The record's fields for a restore that has just completed. */
export function withRestore(
  { restored, restoredBefore = [] }: Pick<ClusterRecord, 'restored' | 'restoredBefore'>,
  request: RestoreRequest,
  atMs: number,
): Pick<ClusterRecord, 'restored' | 'restoredBefore'> {
  const { snapshot, requestedAt } = restored ?? {};
  const last = snapshot === undefined ? [] : [{ snapshot, ...(requestedAt !== undefined && { requestedAt }) }];
  const before = [...last, ...restoredBefore].slice(0, MAX_EARLIER_RESTORES);
  return { restored: { ...request, atMs }, ...(before.length > 0 && { restoredBefore: before }) };
}

/** The user that a cluster's programs run as; undefined: Fairway's own. */
export function userOf({ userId }: ClusterRecord): ProcessUser | undefined {
  return userId === undefined ? undefined : { uid: userId, gid: userId };
}

/** The endpoint for nodes and users. */
export function endpointOf({ address = '127.0.0.1', port }: ClusterRecord): Endpoint {
  return { host: address, port };
}

export function readRecord(files: Files, folder: string): ClusterRecord | undefined {
  const text = files.read(pathResolver(folder)(RECORD_FILE));
  return text === undefined ? undefined : (JSON.parse(text) as ClusterRecord);
}

export function writeRecord(files: Files, folder: string, record: ClusterRecord): Promise<void> {
  return files.write(pathResolver(folder)(RECORD_FILE), JSON.stringify(record));
}

/** Used fraction of a quota above which a larger quota justifies a restart. */
const QUOTA_NEEDED_FRACTION = 0.5;

/**
 * The quota with which etcd should run. etcd reads its quota only at start, and the plan's quota grows with every node:
 * etcd restarts with a larger quota only once its database needs it. A quota never shrinks.
 */
export function quotaToApply(
  applied: number | undefined,
  desiredBytes: number,
  databaseBytes: number | undefined,
): number {
  if (applied === undefined) return desiredBytes;
  const dueBytes = quotaDueBytes(applied, desiredBytes);
  return dueBytes !== undefined && databaseBytes !== undefined && databaseBytes >= dueBytes ? desiredBytes : applied;
}

/** Size of the database at which the desired quota is applied; undefined if the desired quota is not larger. */
export function quotaDueBytes(applied: number, desiredBytes: number): number | undefined {
  return desiredBytes > applied ? applied * QUOTA_NEEDED_FRACTION : undefined;
}

export interface NewRecordInputs {
  readonly files: Files;
  /** The cluster's own directory, which this function creates. */
  readonly folder: string;
  /** Directories of the existing clusters. */
  readonly others: readonly string[];
  /** Ports allocated by this process, including those whose record has not been written yet; the new port is added. */
  readonly ports: Set<number>;
  readonly address: string;
  /** The endpoint that clients were already given. */
  readonly endpoint: Endpoint | undefined;
  readonly random: () => number;
  readonly isPortFree: (port: number) => Promise<boolean>;
}

/**
 * Creates the record of a new cluster, with a port that no other cluster uses. If another process got there first,
 * resolves with its record: a process that resumes after being suspended must not replace the port and key of a control
 * plane that is already running.
 */
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
  if (await files.create(pathResolver(folder)(RECORD_FILE), JSON.stringify(record))) return record;
  ports.delete(port);
  const first = readRecord(files, folder);
  if (first === undefined) throw new Error(`the record in ${folder} was removed while it was being read`);
  return first;
}

export function newEncryptionKey(): string {
  return randomBytes(32).toString('base64');
}

/**
 * Below Linux's ephemeral ports (from 32768) and NodePorts (from 30000), so that nothing else takes a port while its
 * cluster is stopped.
 */
const FIRST_PORT = 20_000;
const PORTS = 10_000;

/** A port that is neither assigned to a cluster nor in use. */
export async function choosePort(
  taken: ReadonlySet<number>,
  random: () => number,
  isFree: (port: number) => Promise<boolean>,
): Promise<number> {
  for (let attempt = 0; attempt < PORTS; attempt++) {
    const port = FIRST_PORT + Math.floor(random() * PORTS);
    if (!taken.has(port) && (await isFree(port))) return port;
  }
  throw new Error(`no free port between ${FIRST_PORT} and ${FIRST_PORT + PORTS - 1}`);
}
