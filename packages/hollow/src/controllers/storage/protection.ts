import { podReferences } from '@fairway/apiserver/auth/pod-references';
import { keyOf } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import { removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims, PersistentVolumes, Pods } from '@fairway/kube/kinds/resources';
import { CLAIM_PROTECTION_FINALIZER, VOLUME_PROTECTION_FINALIZER } from '../../admission/storage.ts';
import type { ControllerContext } from '../context.ts';
import { indexPodsByNamespace, podsIn } from '../pod-indexes.ts';
import { isPodFinished } from '../pods.ts';

/** Removes the finalizer of claims that no pod uses (pkg/controller/volume/pvcprotection). */
export function claimProtection(context: ControllerContext): Controller {
  const { client, informers, clock, random, log } = context;
  const claims = informers.informer(PersistentVolumeClaims);
  const pods = indexPodsByNamespace(informers.informer(Pods));
  const controller = new Controller({
    name: 'claim-protection',
    clock,
    random,
    log,
    async reconcile(key) {
      const claim = claims.get(key);
      if (claim?.metadata.deletionTimestamp === undefined) return {};
      const { name = '', namespace = '' } = claim.metadata;
      const isUsed = podsIn(pods, namespace).some((pod) => uses(pod, name));
      if (!isUsed) await removeFinalizer(client.resource(PersistentVolumeClaims), claim, CLAIM_PROTECTION_FINALIZER);
      return {};
    },
  });
  return controller
    .watch(claims)
    .watch(pods, (pod) => [...podReferences(pod).claims].map((name) => `${pod.metadata.namespace}/${name}`));
}

/** A pod that was scheduled and has not ended may have the volume mounted. */
function uses(pod: Pod, claim: string): boolean {
  return Boolean(pod.spec.nodeName) && !isPodFinished(pod) && podReferences(pod).claims.has(claim);
}

/** Removes the finalizer of volumes that are not bound. */
export function volumeProtection(context: ControllerContext): Controller {
  const { client, informers, clock, random, log } = context;
  const volumes = informers.informer(PersistentVolumes);
  const controller = new Controller({
    name: 'volume-protection',
    clock,
    random,
    log,
    async reconcile(key) {
      const volume = volumes.get(key);
      const isFree = volume?.metadata.deletionTimestamp !== undefined && volume.status?.phase !== 'Bound';
      if (volume && isFree)
        await removeFinalizer(client.resource(PersistentVolumes), volume, VOLUME_PROTECTION_FINALIZER);
      return {};
    },
  });
  return controller.watch(volumes, (volume) => [keyOf(volume)]);
}
