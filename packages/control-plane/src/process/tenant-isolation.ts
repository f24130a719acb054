import { existsSync, readFileSync } from 'node:fs';
import type { ClusterIdentity } from '../runtime.ts';
import { type ClusterRecord, userOf } from './cluster-record.ts';
import { ClusterUsers, type UserRange } from './cluster-users.ts';
import { findExecutable, foldersOnPath } from './executables.ts';

/**
 * How the programs of one cluster are isolated from those of another: by a separate user for each cluster, or not at
 * all.
 */
export type Isolation =
  | { readonly users: ClusterUsers }
  /** Why this process can't run programs as other users. */
  | { readonly users: undefined; readonly reason: string };

export interface IsolationInputs {
  /** Allocates a user to each cluster. */
  readonly folder: string;
  readonly range: UserRange;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly random: () => number;
}

const UID_MAP = '/proc/self/uid_map';

/** The isolation that this process can provide. */
export function localIsolation({ folder, range, env, random }: IsolationInputs): Isolation {
  if (process.geteuid?.() !== 0) return { users: undefined, reason: 'Fairway does not run as root' };
  if (findExecutable(foldersOnPath(env), 'setpriv') === undefined) {
    return { users: undefined, reason: 'setpriv (util-linux) is not on PATH' };
  }
  // Programs that run as other users access their directory and their binary through /proc.
  if (!existsSync(UID_MAP)) return { users: undefined, reason: '/proc is not mounted' };
  if (!isMapped(range, readFileSync(UID_MAP, 'utf8'))) {
    return { users: undefined, reason: `user IDs ${range.first} to ${range.last} do not exist in this container` };
  }
  return { users: new ClusterUsers(folder, range, random) };
}

/** Whether a user namespace maps these IDs: each line of its map is `first inside, first outside, count`. */
export function isMapped({ first, last }: UserRange, uidMap: string): boolean {
  return uidMap
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .some(([inside = 0, , count = 0]) => inside <= first && last < inside + count);
}

/**
 * Decides which control planes may run on a machine where all of them run as one user. Programs that share a user can
 * read each other's keys and databases, so they must all belong to one tenant, identified by namespace.
 */
export class Tenancy {
  readonly #isolation: Isolation;
  /** Namespaces that this process has admitted, whose record may not have been written yet. */
  readonly #namespaces = new Map<string, string>();

  constructor(isolation: Isolation) {
    this.#isolation = isolation;
  }

  /**
   * Why a cluster may not run next to the existing ones. If undefined, the cluster is admitted, and clusters of
   * other tenants no longer are.
   */
  problemOf(
    { uid, namespace }: Pick<ClusterIdentity, 'uid' | 'namespace'>,
    records: ReadonlyMap<string, ClusterRecord>,
  ): string | undefined {
    if (this.#isolation.users !== undefined) return undefined;
    const { reason } = this.#isolation;
    const own = records.get(uid);
    if (own !== undefined && userOf(own) !== undefined) {
      return `its processes must run as user ${own.userId}, but ${reason}: run Fairway as root again`;
    }
    const namespaces = new Map(this.#namespaces);
    for (const [other, record] of records) if (record.namespace !== undefined) namespaces.set(other, record.namespace);
    const [, foreign] = [...namespaces].find(([other, held]) => other !== uid && held !== namespace) ?? [];
    if (foreign !== undefined) {
      return `this machine runs control planes of namespace ${foreign}, and cannot isolate another tenant's from them: ${reason}. The operator must run Fairway as root, which gives each cluster its own user, or with --control-plane simulated (docs/operators/control-planes.md)`;
    }
    this.#namespaces.set(uid, namespace);
    return undefined;
  }

  /** Forgets a cluster that has been completely removed. */
  forget(uid: string): void {
    this.#namespaces.delete(uid);
  }
}
