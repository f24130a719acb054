import { isDeepStrictEqual } from 'node:util';
import { identityOf } from '@fairway/api/identity';
import { type AppliedServerLabels, type Machine, machines } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { isPaused } from '@fairway/api/pause';
import { BackoffError } from '@fairway/kube/controller/attempts';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { Server } from '@fairway/openstack/types/server';
import { requireOwnProject } from '@fairway/tenancy/cloud/foreign-project';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { serversOfMachine } from '@fairway/tenancy/cloud/servers';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';
import { eitherOf, type LabelChanges, labelChanges, recordOf, wantedLabels } from './server-labels.ts';

type ServerLabelsDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'clouds' | 'attempts' | 'events' | 'clock'
>;

/** Nova changes the metadata of servers in these states alone. */
const CHANGEABLE: ReadonlySet<Server['status']> = new Set(['ACTIVE', 'SHUTOFF', 'PAUSED', 'SUSPENDED']);

/** Keeps the tags and metadata that a pool has for its servers on those that exist. New servers are made with them. */
export class ServerLabelsReconciler {
  readonly #dependencies: ServerLabelsDependencies;
  /** When a server was last changed, by its id: an older list does not show that. */
  readonly #changedAtMs = new Map<string, number>();

  constructor(dependencies: ServerLabelsDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` is a Machine's. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, clouds } = this.#dependencies;
    const machine = cache.machines.get(key);
    if (machine === undefined || machine.metadata.deletionTimestamp !== undefined) return {};
    const cluster = cache.clusters.get(clusterKeyOf(machine));
    const pool = cache.nodePools.get(`${machine.metadata.namespace}/${machine.spec.nodePoolName}`);
    // A reinstallation replaces all metadata: before and after it is time enough.
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
        await this.#bringInLine(machine, pool, cloud, pass.signal);
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
   * The record is extended before the server is changed, and reduced when the server is seen without it: after a crash it
   * lists too much, never too little.
   */
  async #bringInLine(machine: Machine, pool: NodePool, cloud: ProjectCloud, signal: AbortSignal): Promise<void> {
    const serverID = machine.status?.serverID ?? '';
    const changedAtMs = this.#changedAtMs.get(serverID);
    const { listedAtMs } = cloud.cache.servers.snapshot();
    if (changedAtMs !== undefined && (listedAtMs ?? 0) <= changedAtMs) {
      await cloud.cache.servers.refreshAfter(changedAtMs, signal);
    }
    this.#changedAtMs.delete(serverID);
    const listed = serversOfMachine(cloud.cache.servers.snapshot(), identityOf(machine));
    const server = listed.find(({ id }) => id === serverID);
    if (server === undefined || !CHANGEABLE.has(server.status)) return;
    const wanted = wantedLabels(pool);
    const record = recordOf(wanted);
    const applied = eitherOf(machine.status?.appliedServerLabels, record);
    await this.#write(machine, applied);
    signal.throwIfAborted();
    const changes = labelChanges(server, applied, wanted);
    if (changes) {
      this.#changedAtMs.set(serverID, this.#dependencies.clock.now());
      await apply(cloud, serverID, changes, signal);
      cloud.cache.servers.invalidate();
    } else if (!isDeepStrictEqual(applied, record)) {
      // What the list does not show any more is gone: it is younger than the last change of ours.
      await this.#write(machine, record);
    }
  }

  async #write(machine: Machine, appliedServerLabels: AppliedServerLabels): Promise<void> {
    const status = { ...machine.status, appliedServerLabels };
    await writeStatus(this.#dependencies.client.resource(machines), machine, status);
  }
}

function hasLabels(pool: NodePool): boolean {
  const { tags, metadata } = wantedLabels(pool);
  return tags.length > 0 || Object.keys(metadata).length > 0;
}

/** Each call may be repeated. What somebody else has removed meanwhile is removed. */
async function apply(cloud: ProjectCloud, id: string, changes: LabelChanges, signal: AbortSignal): Promise<void> {
  const { servers } = cloud.client.compute;
  const options = { signal };
  // First what makes room: Nova counts.
  for (const tag of changes.removeTags) await ignoreNotFound(servers.removeTag(id, tag, options));
  for (const key of changes.removeMetadata) await ignoreNotFound(servers.deleteMetadata(id, key, options));
  if (Object.keys(changes.setMetadata).length > 0) await servers.mergeMetadata(id, changes.setMetadata, options);
  for (const tag of changes.addTags) await servers.addTag(id, tag, options);
}
