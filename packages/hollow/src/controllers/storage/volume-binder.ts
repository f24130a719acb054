import { formatTime } from '@fairway/base/clock';
import { keyOf } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import type { Result } from '@fairway/kube/controller/result';
import { csiSourceOf } from '@fairway/kube/kinds/csi-source';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
} from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { classOf, findVolume, isClaimedBy, waitsForFirstConsumer } from '@fairway/scheduling/match-volume';
import { SELECTED_NODE_ANNOTATION } from '@fairway/scheduling/volumes';
import { defaultClassOf } from '../../admission/storage.ts';
import type { ControllerContext } from '../context.ts';

const BIND_COMPLETED_ANNOTATION = 'pv.kubernetes.io/bind-completed';
const BOUND_BY_CONTROLLER_ANNOTATION = 'pv.kubernetes.io/bound-by-controller';
const PROVISIONED_BY_ANNOTATION = 'pv.kubernetes.io/provisioned-by';
const PROVISIONER_ANNOTATION = 'volume.kubernetes.io/storage-provisioner';
const BETA_PROVISIONER_ANNOTATION = 'volume.beta.kubernetes.io/storage-provisioner';
/** Prefix of volume keys in this controller's queue; a claim's key is `namespace/name`. */
const VOLUME_KEY_PREFIX = ':';

/**
 * Binds claims to existing volumes, requests volumes for the other claims from an external provisioner, and updates
 * volumes whose claim no longer exists (pkg/controller/volume/persistentvolume). Deleting the storage of a released
 * volume is left to its provisioner.
 */
export function volumeBinder(context: ControllerContext): Controller {
  const { client, informers, clock, random, log } = context;
  const claims = informers.informer(PersistentVolumeClaims);
  const volumes = informers.informer(PersistentVolumes);
  const classes = informers.informer(StorageClasses);
  const events = context.events('persistentvolume-controller');

  function reconcile(key: string): Promise<Result> {
    return key.startsWith(VOLUME_KEY_PREFIX) ? syncVolume(key.slice(1)) : syncClaim(key);
  }

  async function syncClaim(key: string): Promise<Result> {
    const claim = claims.get(key);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return {};
    const { volumeName } = claim.spec;
    if (!volumeName) return findOrProvision(claim);
    const volume = volumes.get(volumeName);
    if (volume === undefined || (volume.spec.claimRef && !isClaimedBy(volume, claim))) {
      const isLost = claim.metadata.annotations?.[BIND_COMPLETED_ANNOTATION] !== undefined;
      await setPhase(claim, isLost ? 'Lost' : 'Pending');
      return {};
    }
    await bind(claim, volume, false);
    return {};
  }

  async function findOrProvision(claim: PersistentVolumeClaim): Promise<Result> {
    const effectiveClaim = await withDefaultClass(claim);
    const storageClass = classes.get(classOf(effectiveClaim));
    const isWaiting =
      waitsForFirstConsumer(storageClass) &&
      effectiveClaim.metadata.annotations?.[SELECTED_NODE_ANNOTATION] === undefined;
    const reserved = volumes.list().find((volume) => isClaimedBy(volume, effectiveClaim));
    const volume =
      reserved ?? (waitsForFirstConsumer(storageClass) ? undefined : findVolume(effectiveClaim, volumes.list()));
    if (volume) {
      await bind(effectiveClaim, volume, true);
      return {};
    }
    await setPhase(effectiveClaim, 'Pending');
    if (isWaiting)
      events.normal(effectiveClaim, 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
    else if (storageClass === undefined) {
      if (classOf(effectiveClaim) === '')
        events.normal(
          effectiveClaim,
          'FailedBinding',
          'no persistent volumes available for this claim and no storage class is set',
        );
      else
        events.warning(
          effectiveClaim,
          'ProvisioningFailed',
          `storageclass.storage.k8s.io "${classOf(effectiveClaim)}" not found`,
        );
    } else if (storageClass.provisioner !== 'kubernetes.io/no-provisioner')
      await requestProvisioning(effectiveClaim, storageClass.provisioner);
    return {};
  }

  /** Assigns the default class to a claim that was created before the class. */
  async function withDefaultClass(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    if (claim.spec.storageClassName !== undefined || classOf(claim) !== '') return claim;
    const storageClassName = defaultClassOf(classes.list())?.metadata.name;
    if (storageClassName === undefined) return claim;
    return client.resource(PersistentVolumeClaims).update({ ...claim, spec: { ...claim.spec, storageClassName } });
  }

  async function requestProvisioning(claim: PersistentVolumeClaim, provisioner: string): Promise<void> {
    const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
    if (claim.metadata.annotations?.[PROVISIONER_ANNOTATION] !== provisioner) {
      const annotations = {
        ...claim.metadata.annotations,
        [PROVISIONER_ANNOTATION]: provisioner,
        [BETA_PROVISIONER_ANNOTATION]: provisioner,
      };
      await client.resource(PersistentVolumeClaims).update({ ...claim, metadata: { ...claim.metadata, annotations } });
    }
    events.normal(claim, 'ExternalProvisioning', message);
  }

  /** Writes the volume first, then the claim, then their phases: a crash may occur after any of these steps. */
  async function bind(claim: PersistentVolumeClaim, volume: PersistentVolume, byController: boolean): Promise<void> {
    let bound = volume;
    if (!volume.spec.claimRef?.uid) {
      const { namespace, name, uid, resourceVersion } = claim.metadata;
      const claimRef = {
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        ...(namespace !== undefined && { namespace }),
        ...(name !== undefined && { name }),
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
      };
      const isReserved = volume.spec.claimRef !== undefined;
      const annotations = {
        ...volume.metadata.annotations,
        ...(!isReserved && { [BOUND_BY_CONTROLLER_ANNOTATION]: 'yes' }),
      };
      bound = await client
        .resource(PersistentVolumes)
        .update({ ...volume, metadata: { ...volume.metadata, annotations }, spec: { ...volume.spec, claimRef } });
    }
    await setVolumePhase(bound, 'Bound');
    let taken = claim;
    const volumeName = volume.metadata.name ?? '';
    if (claim.spec.volumeName !== volumeName || claim.metadata.annotations?.[BIND_COMPLETED_ANNOTATION] === undefined) {
      const annotations = {
        ...claim.metadata.annotations,
        [BIND_COMPLETED_ANNOTATION]: 'yes',
        ...(byController && { [BOUND_BY_CONTROLLER_ANNOTATION]: 'yes' }),
      };
      taken = await client
        .resource(PersistentVolumeClaims)
        .update({ ...claim, metadata: { ...claim.metadata, annotations }, spec: { ...claim.spec, volumeName } });
    }
    await setPhase(taken, 'Bound', bound);
  }

  async function setPhase(claim: PersistentVolumeClaim, phase: string, volume?: PersistentVolume): Promise<void> {
    const status: PersistentVolumeClaimStatus = {
      ...claim.status,
      phase,
      ...(volume?.spec.accessModes && { accessModes: volume.spec.accessModes }),
      // The resizer reports an expanded volume.
      ...(volume?.spec.capacity && claim.status?.phase !== 'Bound' && { capacity: volume.spec.capacity }),
    };
    if (!jsonEqual(status, claim.status))
      await client.resource(PersistentVolumeClaims).updateStatus({ ...claim, status });
  }

  async function syncVolume(name: string): Promise<Result> {
    const volume = volumes.get(name);
    if (volume === undefined) return {};
    const { claimRef } = volume.spec;
    if (!claimRef?.uid) {
      if (volume.metadata.deletionTimestamp === undefined) await setVolumePhase(volume, 'Available');
      return {};
    }
    const claim = claims.get(`${claimRef.namespace}/${claimRef.name}`);
    if (claim?.metadata.uid === claimRef.uid) return {};
    await setVolumePhase(volume, 'Released');
    // Without a provisioner the volume is kept: the storage of a manually created volume cannot be deleted here.
    const isOwnWork =
      volume.spec.persistentVolumeReclaimPolicy === 'Delete' &&
      volume.metadata.annotations?.[PROVISIONED_BY_ANNOTATION] === undefined;
    if (isOwnWork && csiSourceOf(volume) === undefined) {
      const message = `error getting deleter volume plugin for volume "${name}": no deletable volume plugin matched`;
      events.warning(volume, 'VolumeFailedDelete', message);
      await setVolumePhase(volume, 'Failed', message);
    }
    return {};
  }

  async function setVolumePhase(volume: PersistentVolume, phase: string, message?: string): Promise<void> {
    if (volume.status?.phase === phase) return;
    const status = {
      phase,
      lastPhaseTransitionTime: formatTime(clock.now()),
      ...(message !== undefined && { message }),
    };
    try {
      await client.resource(PersistentVolumes).updateStatus({ ...volume, status });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }

  const controller = new Controller({ name: 'volume-binder', reconcile, clock, random, log });
  const waitingClaims = () =>
    claims
      .list()
      .filter(({ spec }) => !spec.volumeName)
      .map(keyOf);
  return controller
    .watch(claims, (claim) => [
      keyOf(claim),
      ...volumes
        .list()
        .filter(({ spec }) => spec.claimRef?.uid === claim.metadata.uid)
        .map((volume) => `${VOLUME_KEY_PREFIX}${volume.metadata.name}`),
    ])
    .watch(volumes, (volume) => {
      const { claimRef } = volume.spec;
      const claimKeys = claimRef ? [`${claimRef.namespace}/${claimRef.name}`] : waitingClaims();
      return [`${VOLUME_KEY_PREFIX}${volume.metadata.name}`, ...claimKeys];
    })
    .watch(classes, waitingClaims);
}
