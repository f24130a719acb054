import type { VolumeSnapshotContent } from '@fairway/kube/kinds/volume-snapshots';
import type {
  VolumeSnapshot as CinderSnapshot,
  Volume,
  VolumeSnapshotCreate,
} from '@fairway/openstack/types/block-storage';
import { reclaimMark, type StorageOwner } from '@fairway/tenancy/cloud/ownership';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { DRIVER } from '../volumes/driver.ts';
import type { Build } from '../volumes/volume-builds.ts';
import { createSnapshot, deleteSnapshot, findSource, ownedSnapshots } from './owned-snapshots.ts';
import type { SnapshotDependencies, SnapshotScope } from './snapshot-dependencies.ts';
import { requireSnapshotAllowed } from './snapshot-limits.ts';
import { cinderNameOf } from './snapshot-names.ts';
import { readSnapshotParameters, type SnapshotParameters } from './snapshot-parameters.ts';

/** How often to check a volume that cannot be snapshotted at the moment. */
const BUSY_RETRY_MS = 30_000;
/** How often to check whether a rejected request from a class or content would now be accepted. */
const REJECTED_RETRY_MS = 900_000;

/**
 * Takes the snapshot of a VolumeSnapshotContent. A snapshot that fails in Cinder is deleted and retaken, because it was
 * never used.
 */
export class SnapshotCreator {
  readonly #dependencies: SnapshotDependencies;

  constructor(dependencies: SnapshotDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Resolves with the snapshot once it is usable. Throws a ProblemError if no snapshot can be taken, and rejects with
   * the cloud's error.
   */
  async make(
    key: string,
    content: VolumeSnapshotContent,
    scope: SnapshotScope,
    pass: Pass,
  ): Promise<CinderSnapshot | undefined> {
    const { storageWatch, builds } = this.#dependencies;
    const { tenant, cloud } = scope;
    const { signal } = pass;
    const owner = { clusterUid: tenant.clusterUid, object: content.metadata.name ?? '' };
    const { volumeSnapshotClassName: className = '' } = content.spec;
    const build = { group: `${tenant.clusterUid}/snapshots/${className}`, item: storageKey(owner) };
    const { items, deleting } = await ownedSnapshots(cloud, owner, signal);
    const [snapshot, ...duplicates] = items;
    for (const duplicate of duplicates) await deleteSnapshot(cloud, duplicate, signal);
    if (snapshot?.status === 'available') {
      storageWatch.settle(owner, 'build');
      builds.succeeded(build);
      return snapshot;
    }
    if (snapshot?.status === 'error' || snapshot?.status === 'error_deleting') {
      if (snapshot.status === 'error') await deleteSnapshot(cloud, snapshot, signal);
      storageWatch.settle(owner);
      builds.failed(build, new ProblemError({ reason: 'CloudUnavailable', message: failureMessage(snapshot) }));
    }
    if (snapshot === undefined && deleting.length > 0) {
      storageWatch.expect(owner, key, cloud.cache.volumeSnapshots, 'deletion');
      return undefined;
    }
    if (snapshot === undefined) {
      storageWatch.settle(owner);
      requireSnapshotAllowed(scope, this.#dependencies.clock, pass);
      const parameters = this.#parametersOf(content, scope, pass);
      await this.#send(build, content, parameters, scope, pass);
    }
    storageWatch.expect(owner, key, cloud.cache.volumeSnapshots, 'build');
    return undefined;
  }

  #parametersOf({ spec }: VolumeSnapshotContent, { kinds }: SnapshotScope, pass: Pass): SnapshotParameters {
    const { volumeSnapshotClassName: name } = spec;
    const found = name === undefined ? undefined : kinds.classes.get(name);
    const parameters = found && readSnapshotParameters(found.parameters);
    if (parameters !== undefined && typeof parameters !== 'string') return parameters;
    const message =
      parameters === undefined
        ? `there is no VolumeSnapshotClass "${name ?? ''}"`
        : `VolumeSnapshotClass ${name}: ${parameters}`;
    return refuse(message, pass);
  }

  /** The source volume. Throws a ProblemError if no snapshot of it can be taken now. */
  async #sourceOf(
    { spec }: VolumeSnapshotContent,
    { isForced }: SnapshotParameters,
    { tenant, cloud }: SnapshotScope,
    pass: Pass,
  ): Promise<Volume> {
    const id = spec.source.volumeHandle ?? '';
    const volume = await findSource(cloud, tenant.clusterUid, id, pass.signal);
    if (volume === undefined) return refuse(`the project has no volume ${id.slice(0, 100)}`, pass);
    const { status } = volume;
    if (status === 'available' || (status === 'in-use' && isForced)) return volume;
    pass.requeueAfter(BUSY_RETRY_MS);
    if (status === 'in-use') {
      const message = `volume ${id} is in use, but the class has the parameter "force-create": "false"`;
      throw new ProblemError({ reason: 'ConfigurationInvalid', message });
    }
    const message = `block-storage: volume ${id} has status ${status}: no snapshot can be taken of it`;
    throw new ProblemError({ reason: status.startsWith('error') ? 'CloudUnavailable' : 'Provisioning', message });
  }

  /** Sends the request, because only its result shows whether a snapshot of the volume can be taken. */
  async #send(
    build: Build,
    content: VolumeSnapshotContent,
    parameters: SnapshotParameters,
    scope: SnapshotScope,
    pass: Pass,
  ): Promise<void> {
    const { builds } = this.#dependencies;
    const { tenant, cloud } = scope;
    const owner = { clusterUid: tenant.clusterUid, object: content.metadata.name ?? '' };
    const options = { signal: pass.signal, connection: tenant.signal, group: build.group };
    const prepare = async () => requestOf(owner, content, await this.#sourceOf(content, parameters, scope, pass));
    let problem: ProblemError | undefined;
    await builds.send(build, async () => {
      try {
        await createSnapshot(cloud, owner, prepare, options);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        // The problem concerns only this volume.
        problem = error;
      }
    });
    if (problem === undefined) return;
    builds.abandon(build.item);
    throw problem;
  }
}

/** Uses the metadata keys that cinder-csi-plugin writes, because users and tools look for them. */
function requestOf(
  { clusterUid, object }: StorageOwner,
  { spec }: VolumeSnapshotContent,
  { id }: Volume,
): VolumeSnapshotCreate {
  const { name, namespace, uid = '' } = spec.volumeSnapshotRef;
  return {
    volume_id: id,
    name: cinderNameOf(uid),
    description: `Fairway cluster ${clusterUid} ${object}`,
    metadata: {
      [`${DRIVER}/cluster`]: clusterUid,
      'csi.storage.k8s.io/volumesnapshot/name': name,
      'csi.storage.k8s.io/volumesnapshot/namespace': namespace,
      'csi.storage.k8s.io/volumesnapshotcontent/name': object,
      // `Delete` is recorded once the content refers to the snapshot. Until then, an orphaned snapshot is deleted
      // automatically.
      ...(spec.deletionPolicy === 'Retain' && reclaimMark('Retain')),
    },
  };
}

function refuse(message: string, pass: Pass): never {
  pass.requeueAfter(REJECTED_RETRY_MS);
  throw new ProblemError({ reason: 'ConfigurationInvalid', message });
}

function failureMessage({ id, status, volume_id: volume }: CinderSnapshot): string {
  const what =
    status === 'error'
      ? 'it ended in status error; Fairway retries automatically, and the operator can find the cause in the Cinder log'
      : 'nor delete the unfinished snapshot: the cloud operator must reset its status';
  return `block-storage: Cinder failed to take a snapshot of volume ${volume}${status === 'error' ? `: ${what}` : ` (${id}), ${what}`}`;
}
