import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { csiSourceOf } from '@fairway/kube/kinds/csi-source';
import type { VolumeAttachment } from '@fairway/kube/kinds/generated/types';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Declaration } from '../dependencies.ts';
import { StorageWatch } from '../volumes/storage-watch.ts';
import { storageOf } from '../volumes/tenant-storage.ts';
import { AttachmentReconciler } from './attachment-reconciler.ts';
import { attachmentsByNode, attachmentsOf, volumeNames } from './tenant-attachments.ts';

/** Keys are a cluster's UID and the name of a PersistentVolume: all attachments of a volume are reconciled together. */
export const volumeAttachmentController: Declaration = {
  name: 'volume-attachments',
  concurrency: 20,
  rights: [
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
  ],
  watches: ({ cache, tenants }) => [
    watch(cache.clusters, (cluster) => keysOf(tenants.get(identityOf(cluster))), {
      isRelevant: (old, cluster) =>
        isPaused(old) !== isPaused(cluster) || old.spec.credentialName !== cluster.spec.credentialName,
    }),
    watch(
      cache.machines,
      (machine) => {
        const cluster = cache.clusters.get(clusterKeyOf(machine));
        const tenant = cluster && tenants.get(identityOf(cluster));
        if (tenant === undefined) return [];
        const attachments = attachmentsOf(tenant).find(attachmentsByNode, machine.metadata.name ?? '');
        return attachments.flatMap((attachment) => keysOfAttachment(tenant, attachment));
      },
      { isRelevant: (old, machine) => old.status?.serverID !== machine.status?.serverID },
    ),
  ],
  ownerKey: (key, { tenants }) => tenants.get(key.split('/', 1)[0] ?? '')?.clusterKey,
  create(shared, enqueue) {
    const reconciler = new AttachmentReconciler({ ...shared, storageWatch: new StorageWatch<Volume>(enqueue) });
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
  listen(enqueue, { tenants }) {
    tenants.onConnect((tenant) => {
      const attachments = attachmentsOf(tenant);
      const { volumes } = storageOf(tenant);
      const onAttachment = (attachment: VolumeAttachment) => keysOfAttachment(tenant, attachment).forEach(enqueue);
      attachments.addHandler({
        onAdd: onAttachment,
        onUpdate: (_, attachment) => onAttachment(attachment),
        onDelete: onAttachment,
      });
      volumes.addHandler({
        // The operation that blocked the volume may have finished.
        onUpdate: (_, { metadata, spec }) => {
          if (csiSourceOf({ spec }) && metadata.deletionTimestamp) enqueue(keyOfVolume(tenant, metadata.name ?? ''));
        },
      });
      // Attachments may be listed before the tenant is considered connected, so they are enqueued afterwards.
      void Promise.all([tenant.nodes, attachments, volumes].map((informer) => informer.whenSynced())).then(
        () => keysOf(tenant).forEach(enqueue),
        () => {},
      );
    });
  },
};

function keyOfVolume({ clusterUid }: TenantCluster, name: string): string {
  return `${clusterUid}/${name}`;
}

function keysOfAttachment(tenant: TenantCluster, attachment: VolumeAttachment): readonly string[] {
  return volumeNames(attachment).map((name) => keyOfVolume(tenant, name));
}

function keysOf(tenant: TenantCluster | undefined): readonly string[] {
  if (tenant === undefined) return [];
  return attachmentsOf(tenant)
    .list()
    .flatMap((attachment) => keysOfAttachment(tenant, attachment));
}
