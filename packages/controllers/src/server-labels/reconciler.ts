import { isDeepStrictEqual } from 'node:util';
import { identityOf } from '@fairway/api/identity';
import { type AppliedServerLabels, type Machine, machines } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { isPaused } from '@fairway/api/pause';
import { BackoffError } from '@fairway/kube/controller/attempts';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { Server } from '@fairway/openstack/types/server';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { serversOfMachine } from '@fairway/tenancy/cloud/servers';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';
import { type LabelChanges, labelChanges, recordOf, requestedLabels, unionOf } from './server-labels.ts';

type ServerLabelsDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'attempts' | 'events' | 'clock'
>;

/** Nova changes the metadata of servers only in these states. */
const METADATA_WRITABLE_STATES: ReadonlySet<Server['status']> = new Set(['ACTIVE', 'SHUTOFF', 'PAUSED', 'SUSPENDED']);

/** Maintains the tags and metadata that a pool specifies on existing servers. New servers are created with them. */
export class ServerLabelsReconciler {
  readonly #dependencies: ServerLabelsDependencies;
  /** When a server was last changed, by its ID; an older list does not reflect that. */
  readonly #changedAtMs = new Map<string, number>();

  constructor(dependencies: ServerLabelsDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` identifies a Machine. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, clouds } = this.#dependencies;
    const machine = cache.machines.get(key);
    if (machine === undefined || machine.metadata.deletionTimestamp !== undefined) return {};
    const cluster = cache.clusters.get(clusterKeyOf(machine));
    const pool = cache.nodePools.get(`${machine.metadata.namespace}/${machine.spec.nodePoolName}`);
    // A reinstallation replaces all metadata, so nothing is changed during it.
    if (isPaused(machine, cluster) || pool === undefined || machine.status?.reinstall) return {};
    if (machine.status?.appliedServerLabels === undefined && !hasLabels(pool)) return {};
    const cloud = clouds.of(clusterKeyOf(machine), cluster?.spec.credentialName);
    if (cloud === undefined || machine.status?.serverID === undefined) return {};
    const item = identityOf(machine);
    if (context.userTriggered) attempts.retryNow((each) => each === item);
    const pass = new Pass(context, clock);
    const { failure } = await pass.run(() =>
      attempts.withBackoff({ kind: 'server labels', item }, async () => {
        await requireOwnProject(cloud, cluster);
        await this.#applyTemplate(machine, pool, cloud, pass.signal);
      }),
    );
    if (failure) this.#report(machine, failure);
    return pass.end();
  }

  #report(machine: Machine, { error, message }: Failure): void {
    if (error instanceof BackoffError) return;
    this.#dependencies.events.warning(
      machine,
      'ServerLabelsNotApplied',
      `the pool's tags and metadata are not applied to the server: ${message}`,
    );
  }

  /**
   * Extends the record before the server is changed, and reduces it when the server is observed without the entry:
   * after a crash, it may list too much, but never too little.
   */
  async #applyTemplate(machine: Machine, pool: NodePool, cloud: ProjectCloud, signal: AbortSignal): Promise<void> {
    const serverID = machine.status?.serverID ?? '';
    const changedAtMs = this.#changedAtMs.get(serverID);
    const { listedAtMs } = cloud.cache.servers.snapshot();
    if (changedAtMs !== undefined && (listedAtMs ?? 0) <= changedAtMs) {
      await cloud.cache.servers.refreshAfter(changedAtMs, signal);
    }
    this.#changedAtMs.delete(serverID);
    const listed = serversOfMachine(cloud.cache.servers.snapshot(), identityOf(machine));
    const server = listed.find(({ id }) => id === serverID);
    if (server === undefined || !METADATA_WRITABLE_STATES.has(server.status)) return;
    const desired = requestedLabels(pool);
    const record = recordOf(desired);
    const applied = unionOf(machine.status?.appliedServerLabels, record);
    await this.#write(machine, applied);
    signal.throwIfAborted();
    const changes = labelChanges(server, applied, desired);
    if (changes) {
      this.#changedAtMs.set(serverID, this.#dependencies.clock.now());
      await apply(cloud, serverID, changes, signal);
      cloud.cache.servers.invalidate();
    } else if (!isDeepStrictEqual(applied, record)) {
      // Entries missing from the list have been removed, because the list is newer than Fairway's last change.
      await this.#write(machine, record);
    }
  }

  async #write(machine: Machine, appliedServerLabels: AppliedServerLabels): Promise<void> {
    const status = { ...machine.status, appliedServerLabels };
    await writeStatus(this.#dependencies.client.resource(machines), machine, status);
  }
}

function hasLabels(pool: NodePool): boolean {
  const { tags, metadata } = requestedLabels(pool);
  return tags.length > 0 || Object.keys(metadata).length > 0;
}

/**
 * Applies the changes. Each call may be repeated. Entries that someone else has removed in the meantime count as
 * removed.
 */
async function apply(cloud: ProjectCloud, id: string, changes: LabelChanges, signal: AbortSignal): Promise<void> {
  const { servers } = cloud.client.compute;
  const options = { signal };
  // Removals first, because Nova limits the number.
  for (const tag of changes.removeTags) await ignoreNotFound(servers.removeTag(id, tag, options));
  for (const key of changes.removeMetadata) await ignoreNotFound(servers.deleteMetadata(id, key, options));
  if (Object.keys(changes.setMetadata).length > 0) await servers.mergeMetadata(id, changes.setMetadata, options);
  for (const tag of changes.addTags) await servers.addTag(id, tag, options);
}
