import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { keyOf } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import {
  CONTROLLER_UID_INDEX,
  controllerKeys,
  controllerOf,
  isControlledBy,
  ownerRef,
} from '@fairway/kube/controller/owners';
import type { Result } from '@fairway/kube/controller/result';
import type { ControllerRevision, Pod, StatefulSet, StatefulSetStatus } from '@fairway/kube/kinds/generated/types';
import { ControllerRevisions, PersistentVolumeClaims, Pods, StatefulSets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import type { ControllerContext } from '../context.ts';
import { deletePod } from '../disrupt-pod.ts';
import { isPodAvailable, isPodReady, nextAvailableMs } from '../pods.ts';
import { claimChildren, indexChildren, isSelectedBy } from '../workloads/claim-children.ts';
import { messageOf } from '../workloads/pod-control.ts';
import { ensureRevision, templateOf, truncateRevisions } from '../workloads/revisions.ts';
import { planStatefulSet, type Revisions, type StatefulAction } from './plan-stateful-set.ts';
import { claimsOf, ordinalOf, revisionOfPod, statefulPod } from './stateful-pod.ts';

/** Runs pods with stable names, ordinals and storage (pkg/controller/statefulset). */
export function statefulSetController(context: ControllerContext): Controller {
  const { client, informers, reader, clock, random, log } = context;
  const sets = informers.informer(StatefulSets);
  const pods = indexChildren(informers.informer(Pods));
  const history = indexChildren(informers.informer(ControllerRevisions));
  const events = context.events('statefulset-controller');
  const children = {
    informer: pods,
    children: client.resource(Pods),
    owners: client.resource(StatefulSets),
    ownerType: StatefulSets,
  };

  async function reconcile(key: string): Promise<Result> {
    const cached = sets.get(key);
    if (cached === undefined || cached.metadata.deletionTimestamp !== undefined) return {};
    await claimChildren(cached, cached.spec.selector, children);
    // Names are reused, so relying on a stale cache could delete a pod that was just created: read from the server.
    const set = reader.get(StatefulSets, cached.metadata.namespace ?? '', cached.metadata.name ?? '');
    if (set?.metadata.uid !== cached.metadata.uid || set === undefined) return {};
    const known = history.byIndex(CONTROLLER_UID_INDEX, set.metadata.uid ?? '');
    const updateRevision = await ensureRevision(client, set, StatefulSets, known);
    const revisions = revisionsOf(set, updateRevision, known);
    await updateClaimOwners(set, podsOf(set));
    const actions = planStatefulSet(set, podsOf(set), revisions, clock.now());
    for (const action of actions) await applyAction(set, action, [...known, updateRevision]);
    const current = podsOf(set);
    await writeStatus(set, current, revisions);
    const live = new Set([revisions.current, revisions.update, ...current.map(revisionOfPod)]);
    await truncateRevisions(client, known, live, set.spec.revisionHistoryLimit ?? 10);
    const waitMs = nextAvailableMs(current, set.spec.minReadySeconds ?? 0, clock.now());
    return waitMs === undefined ? {} : { requeueAfterMs: waitMs };
  }

  function podsOf(set: StatefulSet): Pod[] {
    return reader.list(Pods, set.metadata.namespace ?? '').filter((pod) => isControlledBy(pod, set));
  }

  async function applyAction(
    set: StatefulSet,
    action: StatefulAction,
    known: readonly ControllerRevision[],
  ): Promise<void> {
    if (action.kind === 'create') return create(set, action.ordinal, action.revision, known);
    const { pod } = action;
    if (action.condemned && set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete')
      await deleteClaims(set, pod);
    await deletePod(client, pod);
    events.normal(
      set,
      'SuccessfulDelete',
      `delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`,
    );
  }

  async function create(
    set: StatefulSet,
    ordinal: number,
    revision: string,
    known: readonly ControllerRevision[],
  ): Promise<void> {
    const found = known.find(({ metadata }) => metadata.name === revision);
    const template = (found && templateOf(found)) ?? set.spec.template;
    const pod = statefulPod(set, template, revision, ordinal);
    const words = `create Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    try {
      for (const claim of claimsOf(set, ordinal)) await createClaim(set, claim);
      await client.resource(Pods).create(pod);
      events.normal(set, 'SuccessfulCreate', `${words} successful`);
    } catch (error) {
      if (isApiError(error, 'AlreadyExists')) return;
      events.warning(set, 'FailedCreate', `${words} failed error: ${messageOf(error)}`);
      throw error;
    }
  }

  async function createClaim(set: StatefulSet, claim: ReturnType<typeof claimsOf>[number]): Promise<void> {
    const { name = '', namespace = '' } = claim.metadata;
    if (reader.get(PersistentVolumeClaims, namespace, name) !== undefined) return;
    await client.resource(PersistentVolumeClaims).create(claim);
    events.normal(
      set,
      'SuccessfulCreate',
      `create Claim ${name} Pod ${set.metadata.name} in StatefulSet ${set.metadata.name} success`,
    );
  }

  /**
   * Claims are deleted with the set only while its retention policy requires it; other controllers' claims are not
   * touched.
   */
  async function updateClaimOwners(set: StatefulSet, pods: readonly Pod[]): Promise<void> {
    const isOwned = set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete';
    const claims = client.resource(PersistentVolumeClaims);
    for (const { metadata } of pods.flatMap((pod) => claimsOf(set, ordinalOf(set, pod) ?? 0))) {
      const { name = '', namespace = '' } = metadata;
      const found = reader.get(PersistentVolumeClaims, namespace, name);
      if (found === undefined || controllerOf(found) !== undefined) continue;
      const { uid, resourceVersion, ownerReferences = [] } = found.metadata;
      const others = ownerReferences.filter((reference) => reference.uid !== set.metadata.uid);
      if (others.length < ownerReferences.length === isOwned) continue;
      const references = isOwned ? [...others, ownerRef(set, StatefulSets)] : others;
      const value = {
        metadata: { uid, resourceVersion, ownerReferences: references.length > 0 ? references : null },
      };
      await ignoreDeleted(claims.patch(name, { type: 'merge', value }, { namespace }));
    }
  }

  async function deleteClaims(set: StatefulSet, pod: Pod): Promise<void> {
    for (const { metadata } of claimsOf(set, ordinalOf(set, pod) ?? 0)) {
      try {
        await client
          .resource(PersistentVolumeClaims)
          .delete(metadata.name ?? '', { namespace: metadata.namespace ?? '' });
      } catch (error) {
        if (!isApiError(error, 'NotFound')) throw error;
      }
    }
  }

  async function writeStatus(set: StatefulSet, current: readonly Pod[], revisions: Revisions): Promise<void> {
    const status = statusOf(set, current, revisions, clock.now());
    if (!jsonEqual(status, set.status)) await client.resource(StatefulSets).updateStatus({ ...set, status });
  }

  const ownersOf = controllerKeys(StatefulSets);
  const controller = new Controller({ name: 'statefulset', reconcile, clock, random, log, concurrency: 5 });
  return controller.watch(sets).watch(pods, (pod) => {
    if (controllerOf(pod) !== undefined) return ownersOf(pod);
    return sets
      .list(pod.metadata.namespace)
      .filter(({ spec }) => isSelectedBy(pod, spec.selector))
      .map(keyOf);
  });
}

function revisionsOf(set: StatefulSet, update: ControllerRevision, known: readonly ControllerRevision[]): Revisions {
  const name = update.metadata.name ?? '';
  const current = set.status?.currentRevision;
  const isKnown =
    current !== undefined && (current === name || known.some(({ metadata }) => metadata.name === current));
  return { update: name, current: isKnown ? current : name };
}

function statusOf(set: StatefulSet, pods: readonly Pod[], revisions: Revisions, nowMs: number): StatefulSetStatus {
  const { replicas = 1, minReadySeconds = 0, updateStrategy } = set.spec;
  const living = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const ready = living.filter(isPodReady).length;
  const available = living.filter((pod) => isPodAvailable(pod, minReadySeconds, nowMs)).length;
  const updated = living.filter((pod) => revisionOfPod(pod) === revisions.update).length;
  let currentRevision = revisions.current;
  let currentReplicas = living.filter((pod) => revisionOfPod(pod) === currentRevision).length;
  const isDone = updated === replicas && pods.length === replicas && ready === replicas;
  if (updateStrategy?.type !== 'OnDelete' && isDone) {
    currentRevision = revisions.update;
    currentReplicas = updated;
  }
  return {
    ...(set.metadata.generation !== undefined && { observedGeneration: set.metadata.generation }),
    replicas: pods.length,
    ...(ready > 0 && { readyReplicas: ready }),
    availableReplicas: available,
    ...(currentReplicas > 0 && { currentReplicas }),
    ...(updated > 0 && { updatedReplicas: updated }),
    currentRevision,
    updateRevision: revisions.update,
    collisionCount: set.status?.collisionCount ?? 0,
  };
}
