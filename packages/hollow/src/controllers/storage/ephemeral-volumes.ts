import { Controller } from '@fairway/kube/controller/controller';
import type { PersistentVolumeClaim, Pod, Volume } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims, Pods } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { ControllerContext } from '../context.ts';
import { isPodFinished } from '../pods.ts';

/** Creates the claims of pods' generic ephemeral volumes, which are deleted with their pods (pkg/controller/volume/ephemeral). */
export function ephemeralVolumes(context: ControllerContext): Controller {
  const { client, informers, clock, random, log } = context;
  const pods = informers.informer(Pods);
  const claims = informers.informer(PersistentVolumeClaims);
  const events = context.events('ephemeral_volume');

  async function ensureClaim(pod: Pod, volume: Volume): Promise<void> {
    const { namespace = '' } = pod.metadata;
    const desiredClaim = claimOf(pod, volume);
    const name = desiredClaim.metadata.name ?? '';
    const present = claims.get(`${namespace}/${name}`);
    if (present !== undefined && isOwnedBy(present, pod)) return;
    try {
      if (present === undefined) await client.resource(PersistentVolumeClaims).create(desiredClaim);
    } catch (error) {
      if (isApiError(error, 'AlreadyExists')) return;
      const problem = error instanceof Error ? error.message : String(error);
      events.warning(pod, 'FailedBinding', `ephemeral volume ${volume.name}: ${problem}`);
      throw error;
    }
    if (present === undefined) return;
    const message = `ephemeral volume ${volume.name}: PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`;
    events.warning(pod, 'FailedBinding', message);
  }

  const controller = new Controller({
    name: 'ephemeral-volume',
    clock,
    random,
    log,
    async reconcile(key) {
      const pod = pods.get(key);
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || isPodFinished(pod)) return {};
      for (const volume of pod.spec.volumes ?? []) if (volume.ephemeral) await ensureClaim(pod, volume);
      return {};
    },
  });
  return controller
    .watch(pods, (pod) => (hasEphemeralVolumes(pod) ? [`${pod.metadata.namespace}/${pod.metadata.name}`] : []))
    .watch(claims, ({ metadata }) => {
      const owner = metadata.ownerReferences?.find(({ kind, controller: isOwner }) => kind === 'Pod' && isOwner);
      return owner === undefined ? [] : [`${metadata.namespace}/${owner.name}`];
    });
}

export function hasEphemeralVolumes({ spec }: Pod): boolean {
  return spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined) ?? false;
}

function claimOf({ metadata }: Pod, { name, ephemeral }: Volume): PersistentVolumeClaim {
  const { name: podName = '', namespace = '', uid = '' } = metadata;
  const template = ephemeral?.volumeClaimTemplate;
  const { labels, annotations } = template?.metadata ?? {};
  const owner = { apiVersion: 'v1', kind: 'Pod', name: podName, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `${podName}-${name}`,
      namespace,
      ownerReferences: [owner],
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec: template?.spec ?? {},
  };
}

function isOwnedBy({ metadata }: PersistentVolumeClaim, pod: Pod): boolean {
  return metadata.ownerReferences?.some(({ uid, controller }) => controller && uid === pod.metadata.uid) ?? false;
}
