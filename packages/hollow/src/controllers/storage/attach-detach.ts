import { podReferences } from '@fairway/apiserver/auth/pod-references';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { Controller } from '@fairway/kube/controller/controller';
import type { Result } from '@fairway/kube/controller/result';
import { csiSourceOf } from '@fairway/kube/kinds/csi-source';
import type { Node, PersistentVolume, Pod, VolumeAttachment } from '@fairway/kube/kinds/generated/types';
import {
  CSIDrivers,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  VolumeAttachments,
} from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { attachmentName, uniqueVolumeName } from '../../volume-names.ts';
import type { ControllerContext } from '../context.ts';
import { indexPodsByNamespace, podsIn } from '../pod-indexes.ts';
import { isPodFinished } from '../pods.ts';

/** How long to wait for a node that still reports a volume as in use even though none of its pods uses it. */
const MAX_UNMOUNT_MS = 360_000;
const OUT_OF_SERVICE_TAINT = 'node.kubernetes.io/out-of-service';
/** Names of attachments created here; other attachments are not touched. */
const ATTACHMENT_NAME_PATTERN = /^csi-[0-9a-f]{64}$/;
const BY_VOLUME = 'volume';
const BY_NODE = 'node';

/**
 * Requests CSI drivers to attach volumes to the nodes of their pods, and to detach them when the pods no longer exist
 * and the node has released them (pkg/controller/volume/attachdetach). Keys are names of PersistentVolumes.
 */
export function attachDetach(context: ControllerContext): Controller {
  const { client, informers, clock, random, log } = context;
  const volumes = informers.informer(PersistentVolumes);
  const claims = informers.informer(PersistentVolumeClaims);
  const attachments = informers.informer(VolumeAttachments);
  const drivers = informers.informer(CSIDrivers);
  const nodes = informers.informer(Nodes);
  const pods = indexPodsByNamespace(informers.informer(Pods));
  attachments.addIndex(BY_VOLUME, ({ spec }) =>
    spec.source.persistentVolumeName ? [spec.source.persistentVolumeName] : [],
  );
  attachments.addIndex(BY_NODE, ({ spec }) => [spec.nodeName]);
  const events = context.events('attachdetach-controller');
  /** The time since which no pod has needed an attachment, by the attachment's UID. */
  const unneeded = new Map<string, number>();

  async function reconcile(name: string): Promise<Result> {
    const volume = volumes.get(name);
    const desired = volume && isAttachable(volume) ? podsByNode(volume) : new Map<string, Pod>();
    const present = attachments.byIndex(BY_VOLUME, name);
    let requeueMs: number | undefined;
    for (const attachment of present) {
      if (desired.has(attachment.spec.nodeName)) unneeded.delete(attachment.metadata.uid ?? '');
      else requeueMs = (await release(attachment, volume)) ?? requeueMs;
    }
    for (const [node, pod] of volume ? desired : []) await attach(volume as PersistentVolume, node, pod, present);
    return requeueMs === undefined ? {} : { requeueAfterMs: requeueMs };
  }

  function isAttachable(volume: PersistentVolume): boolean {
    const source = csiSourceOf(volume);
    return source !== undefined && drivers.get(source.driver)?.spec.attachRequired !== false;
  }

  function podsByNode({ metadata, spec }: PersistentVolume): Map<string, Pod> {
    const { namespace = '', name = '' } = spec.claimRef ?? {};
    const found = new Map<string, Pod>();
    if (claims.get(`${namespace}/${name}`)?.spec.volumeName !== metadata.name) return found;
    for (const pod of podsIn(pods, namespace)) {
      const { nodeName } = pod.spec;
      if (nodeName && !isPodFinished(pod) && podReferences(pod).claims.has(name)) found.set(nodeName, pod);
    }
    return found;
  }

  async function attach(
    volume: PersistentVolume,
    nodeName: string,
    pod: Pod,
    present: readonly VolumeAttachment[],
  ): Promise<void> {
    const known = present.find(({ spec }) => spec.nodeName === nodeName);
    const node = nodes.get(nodeName);
    if (known) {
      if (known.status?.attached && node) await recordAttached(node, volume);
      return;
    }
    if (node === undefined) return;
    if (isExclusive(volume) && present.length > 0) {
      const message = `Multi-Attach error for volume "${volume.metadata.name}" Volume is already exclusively attached to one node and can't be attached to another`;
      events.warning(pod, 'FailedAttachVolume', message);
      return;
    }
    const { driver = '', volumeHandle = '' } = csiSourceOf(volume) ?? {};
    const metadata = { name: attachmentName(volumeHandle, driver, nodeName) };
    const source = { persistentVolumeName: volume.metadata.name ?? '' };
    try {
      await client.resource(VolumeAttachments).create({ metadata, spec: { attacher: driver, nodeName, source } });
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
  }

  /** Returns the delay until the next check if no event will trigger it. */
  async function release(
    attachment: VolumeAttachment,
    volume: PersistentVolume | undefined,
  ): Promise<number | undefined> {
    const { uid = '', name = '', deletionTimestamp } = attachment.metadata;
    if (deletionTimestamp !== undefined || !ATTACHMENT_NAME_PATTERN.test(name)) return undefined;
    const sinceMs = unneeded.get(uid) ?? clock.now();
    unneeded.set(uid, sinceMs);
    const node = nodes.get(attachment.spec.nodeName);
    const leftMs = sinceMs + MAX_UNMOUNT_MS - clock.now();
    if (leftMs > 0 && isInUse(node, volume)) return leftMs;
    unneeded.delete(uid);
    if (node && volume) await recordDetached(node, volume);
    await ignoreDeleted(client.resource(VolumeAttachments).delete(name, { uid }));
    return undefined;
  }

  function isInUse(node: Node | undefined, volume: PersistentVolume | undefined): boolean {
    const name = volume && uniqueVolumeName(volume);
    if (node === undefined || name === undefined) return false;
    const isOutOfService = node.spec.taints?.some(({ key }) => key === OUT_OF_SERVICE_TAINT) ?? false;
    return !isOutOfService && (node.status?.volumesInUse?.includes(name) ?? false);
  }

  async function recordAttached(node: Node, volume: PersistentVolume): Promise<void> {
    const name = uniqueVolumeName(volume) ?? '';
    const attached = node.status?.volumesAttached ?? [];
    if (attached.some((each) => each.name === name)) return;
    await writeAttached(node, [...attached, { name, devicePath: '' }]);
  }

  async function recordDetached(node: Node, volume: PersistentVolume): Promise<void> {
    const name = uniqueVolumeName(volume);
    const attached = node.status?.volumesAttached ?? [];
    const left = attached.filter((each) => each.name !== name);
    if (left.length < attached.length) await writeAttached(node, left);
  }

  /**
   * Conditional on the version read, since the reconcile of another volume may have written it in the meantime.
   */
  async function writeAttached({ metadata }: Node, volumesAttached: readonly object[]): Promise<void> {
    const { name = '', resourceVersion } = metadata;
    const value = { metadata: { resourceVersion }, status: { volumesAttached } };
    await ignoreDeleted(client.resource(Nodes).patch(name, { type: 'merge', value }, { subresource: 'status' }));
  }

  const volumesOf = (pod: Pod): string[] =>
    [...podReferences(pod).claims].flatMap(
      (name) => claims.get(`${pod.metadata.namespace}/${name}`)?.spec.volumeName || [],
    );
  const controller = new Controller({ name: 'attach-detach', reconcile, clock, random, log });
  return controller
    .watch(volumes, ({ metadata }) => [metadata.name ?? ''])
    .watch(claims, ({ spec }) => (spec.volumeName ? [spec.volumeName] : []))
    .watch(attachments, ({ spec }) => (spec.source.persistentVolumeName ? [spec.source.persistentVolumeName] : []))
    .watch(pods, volumesOf, {
      isRelevant: (old, pod) => old.spec.nodeName !== pod.spec.nodeName || isPodFinished(old) !== isPodFinished(pod),
    })
    .watch(nodes, ({ metadata }) =>
      attachments.byIndex(BY_NODE, metadata.name ?? '').flatMap(({ spec }) => spec.source.persistentVolumeName ?? []),
    );
}

/** Whether only one node can use the volume. */
function isExclusive({ spec }: PersistentVolume): boolean {
  return (spec.accessModes ?? []).every((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
}
