import { isDeepStrictEqual } from 'node:util';
import {
  ADDON_NAMESPACE,
  type Addon,
  type AddonName,
  type AddonObject,
  describeObject,
  type ObjectIdentity,
  objectKey,
} from '@fairway/addons/addon';
import { APPLY_SET, APPLY_SET_ID, adoptedRequest, applySet, PART_OF_LABEL } from '@fairway/addons/apply-set';
import { NETWORK_WORKLOADS, objectsOfInterest, REMOVABLE_OBJECTS } from '@fairway/addons/catalogue';
import { coversObject, isAsDesired } from '@fairway/addons/covers';
import { CILIUM_CONFIG, findOtherProxy } from '@fairway/addons/kube-proxy/other-proxies';
import { withCertificate } from '@fairway/addons/metrics-server/serving-objects';
import { findOtherNetwork } from '@fairway/addons/pod-network/other-networks';
import { revisionOf } from '@fairway/addons/revision';
import { type InstalledCni, isCniInstalled } from '@fairway/api/domain/cni-installer';
import { isNewRequest } from '@fairway/api/domain/request';
import type { Clock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { CINDER_DRIVER } from '@fairway/kube/kinds/csi-source';
import type { DaemonSet } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, DaemonSets, StorageClasses } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { apiReachProblem } from './api-reach.ts';
import { applyObject, causeOf, FIELD_MANAGER, type FieldConflict, type Refusal } from './apply-object.ts';
import { hasAppliedAnnotation, isApplied, isMember } from './membership.ts';

/** The result of a check for one add-on. */
export type Outcome =
  | { readonly kind: 'applied'; readonly conflicts: readonly FieldConflict[] }
  /** `object`: the cluster's own object. */
  | { readonly kind: 'notManaged'; readonly object: string | undefined }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The add-on is running, but the API server cannot reach it. The message is the API server's. */
  | { readonly kind: 'unreached'; readonly message: string };

export type Outcomes = ReadonlyMap<AddonName, Outcome>;

/** The result of a check. */
export interface Findings {
  readonly outcomes: Outcomes;
  /** The pod network that Fairway has ever installed in the cluster, now or in the past. */
  readonly podNetwork: InstalledCni | undefined;
}

export interface ApplyAddonsOptions {
  readonly client: KubeClient;
  readonly desiredAddons: readonly Addon[];
  /** Add-ons that were found to be the cluster's own. This is permanent. */
  readonly unmanaged: ReadonlySet<string>;
  /** Add-ons whose pods are running: an API that they serve may be registered. */
  readonly workingAddons: ReadonlySet<string>;
  /**
   * The value of the annotation that requests the adoption of add-ons that Fairway did not install, as `requestIn`
   * returns it.
   */
  readonly request: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

type LiveObjects = ReadonlyMap<string, KubeObject>;

/**
 * Checks all objects of add-ons in a tenant's cluster, applies those that differ, and deletes those that are no longer
 * desired. The record lists all possible objects first and the actual ones at the end, so the process may be killed in
 * between. Nothing is written if everything is up to date.
 */
export async function applyAddons(options: ApplyAddonsOptions): Promise<Findings> {
  const { client, desiredAddons, request, signal } = options;
  const live = await readLiveObjects(client, desiredAddons, signal);
  const record = live.get(objectKey(APPLY_SET));
  const adopted = adoptedRequest(record);
  const isForced = isNewAdoption(request, adopted);
  const outcomes = new Map<AddonName, Outcome>();
  const findings = { outcomes, podNetwork: installedPodNetwork(live) };
  const managed: Addon[] = [];
  for (const addon of desiredAddons) {
    const foreign =
      (isForced ? undefined : unmanagedOutcome(addon, live, options)) ??
      (await replacementOutcome(addon, live, { ...options, isForced }));
    if (foreign) outcomes.set(addon.name, foreign);
    else managed.push(addon);
  }
  const members = managed.flatMap(({ objects }) => objects);
  const leftovers = [
    ...leftoversOf(desiredAddons, live),
    ...(await removedStorageClasses(desiredAddons, record, options)),
  ];
  if (members.length + leftovers.length === 0 && record === undefined) return findings;
  const before = applySet([...members, ...leftovers.map(({ identity }) => identity)], adopted);
  if (!coversObject(record, before.object)) await writeRecord(client, before, signal);
  for (const addon of managed) outcomes.set(addon.name, await apply(addon, live, isForced, options));
  for (const stale of leftovers) await remove(client, stale, signal);
  const isRefused = [...outcomes.values()].some(({ kind }) => kind === 'refused');
  const after = applySet(members, isForced && !isRefused ? request : adopted);
  if (!isDeepStrictEqual(after, before)) await writeRecord(client, after, signal);
  return findings;
}

function isNewAdoption(request: string | undefined, adopted: string | undefined): boolean {
  // Earlier releases recorded the request in this form.
  const isKnown = request !== undefined && adopted === revisionOf(request);
  return !isKnown && isNewRequest(request, adopted);
}

async function readLiveObjects(
  client: KubeClient,
  desired: readonly Addon[],
  signal: AbortSignal,
): Promise<LiveObjects> {
  const read = async (identity: ObjectIdentity) => {
    const { type, name } = identity;
    const scope = type.namespaced ? { namespace: ADDON_NAMESPACE } : {};
    const object = await wrapTenantError(undefinedIfNotFound(client.resource(type).get(name, { ...scope, signal })));
    return object === undefined ? [] : [[objectKey(identity), object] as const];
  };
  // The record is read first: if the API does not respond, there is no point in trying the others.
  const record = await read(APPLY_SET);
  return new Map([...record, ...(await Promise.all(objectsOfInterest(desired).map(read))).flat()]);
}

/**
 * The outcome for an add-on that the cluster manages itself; undefined if it does not. An add-on counts as adopted even
 * if a process started the adoption but did not record it.
 */
function unmanagedOutcome(
  { name, claims, aggregatedApi }: Addon,
  live: LiveObjects,
  { unmanaged }: ApplyAddonsOptions,
): Outcome | undefined {
  const own = claims.find((claim) => {
    const object = live.get(objectKey(claim));
    return object !== undefined && !isApplied(object);
  });
  if (own) return { kind: 'notManaged', object: describeObject(own) };
  const isTakenOver = claims.every((claim) => live.has(objectKey(claim)) || claim === aggregatedApi?.registration);
  return unmanaged.has(name) && !isTakenOver ? { kind: 'notManaged', object: undefined } : undefined;
}

/** Maximum number of objects checked: clusters have about ten. */
const MAX_DAEMON_SETS = 500;

/**
 * The outcome if another implementation replaces the add-on in the cluster. Other implementations are ignored if
 * Fairway's add-on is already running.
 */
async function replacementOutcome(
  { name, workload, isNetwork = false }: Addon,
  live: LiveObjects,
  { client, signal, isForced }: ApplyAddonsOptions & { readonly isForced: boolean },
): Promise<Outcome | undefined> {
  const running = live.get(objectKey(workload));
  // This also applies if Fairway's network was requested: pods in the two networks would have the same addresses, and a
  // converted network loses its allocations.
  if (isNetwork && running !== undefined && !isApplied(running)) {
    return { kind: 'notManaged', object: describeObject(workload) };
  }
  if (running !== undefined) return undefined;
  if (isNetwork) {
    const object = findOtherNetwork(await daemonSetsOf(client, signal));
    return object === undefined ? undefined : { kind: 'notManaged', object };
  }
  if (name !== 'kube-proxy' || isForced) return undefined;
  const scope = { namespace: ADDON_NAMESPACE, signal };
  const [daemonSets, cilium] = await Promise.all([
    daemonSetsOf(client, signal),
    wrapTenantError(undefinedIfNotFound(client.resource(ConfigMaps).get(CILIUM_CONFIG, scope))),
  ]);
  const object = findOtherProxy({ daemonSets, cilium });
  return object === undefined ? undefined : { kind: 'notManaged', object };
}

async function daemonSetsOf(client: KubeClient, signal: AbortSignal): Promise<readonly DaemonSet[]> {
  return (await wrapTenantError(client.resource(DaemonSets).list({ limit: MAX_DAEMON_SETS, signal }))).items;
}

interface StaleObject {
  readonly identity: ObjectIdentity;
  readonly object: KubeObject;
}

/**
 * Applied objects that no longer belong to an add-on. A tenant may write the label, so it is not sufficient: the name
 * must also belong to an add-on.
 */
function leftoversOf(desired: readonly Addon[], live: LiveObjects): StaleObject[] {
  const keptKeys = new Set(desired.flatMap(({ objects }) => objects.map(objectKey)));
  return REMOVABLE_OBJECTS.flatMap((identity) => {
    const object = live.get(objectKey(identity));
    if (object === undefined || keptKeys.has(objectKey(identity))) return [];
    return isMember(object) ? [{ identity, object }] : [];
  });
}

/** Maximum number of objects checked. */
const MAX_CLASSES = 100;

/**
 * Applied StorageClasses that the plan no longer contains. Operators choose their names, so they are identified by
 * label and annotation.
 */
async function removedStorageClasses(
  desired: readonly Addon[],
  record: KubeObject | undefined,
  { client, signal }: ApplyAddonsOptions,
): Promise<StaleObject[]> {
  if (record === undefined) return [];
  const labelSelector = `${PART_OF_LABEL}=${APPLY_SET_ID}`;
  const { items } = await wrapTenantError(
    client.resource(StorageClasses).list({ labelSelector, limit: MAX_CLASSES, signal }),
  );
  const keptKeys = new Set(desired.flatMap(({ objects }) => objects.map(objectKey)));
  return items.flatMap((object) => {
    const identity = { type: StorageClasses, name: object.metadata.name ?? '' };
    const isRemoved = object.provisioner === CINDER_DRIVER && !keptKeys.has(objectKey(identity)) && isMember(object);
    return isRemoved ? [{ identity, object }] : [];
  });
}

function installedPodNetwork(live: LiveObjects): InstalledCni | undefined {
  const names = Object.keys(NETWORK_WORKLOADS).filter(isCniInstalled);
  return names.find((name) => isMember(live.get(objectKey(NETWORK_WORKLOADS[name]))));
}

async function apply(
  addon: Addon,
  live: LiveObjects,
  isForced: boolean,
  options: ApplyAddonsOptions,
): Promise<Outcome> {
  const { client, signal } = options;
  const conflicts: FieldConflict[] = [];
  const { objects, problem } = await applicableObjects(addon, live, options);
  const differing: AddonObject[] = [];
  for (const desired of objects) {
    const object = live.get(objectKey(desired));
    if (desired.isUpdateOnly && object === undefined) continue;
    const owners = isForced ? undefined : foreignManagers(desired, object);
    if (owners) conflicts.push({ object: describeObject(desired), fields: ['everything'], managers: owners });
    else if (!isAsDesired(object, desired) || removesAnnotation(desired, object)) differing.push(desired);
  }
  // A partial adoption may be worse than none: for instance, a Service might no longer select any pods.
  const outdated = new Set(differing.filter((desired) => isOutdated(desired, live.get(objectKey(desired)))));
  for (const desired of isForced ? differing.filter((each) => !outdated.has(each)) : []) {
    const { refusal } = {
      refusal: undefined,
      ...(await applyObject(client, desired, { isForced, signal, dryRun: true })),
    };
    if (refusal) return { kind: 'refused', refusal };
  }
  for (const desired of differing) {
    const object = live.get(objectKey(desired));
    if (object && outdated.has(desired)) await remove(client, { identity: desired, object }, signal);
    const { conflict, refusal } = {
      conflict: undefined,
      ...(await applyObject(client, desired, { isForced, signal })),
    };
    if (refusal) return { kind: 'refused', refusal };
    if (conflict) conflicts.push(conflict);
  }
  return problem === undefined ? { kind: 'applied', conflicts } : { kind: 'unreached', message: problem };
}

/** The field managers of an object that Fairway did not create and could not adopt; undefined for any other object. */
function foreignManagers({ immutable }: AddonObject, object: KubeObject | undefined): readonly string[] | undefined {
  if (immutable === undefined || object === undefined || isApplied(object)) return undefined;
  return [...new Set(object.metadata.managedFields?.flatMap(({ manager }) => manager ?? []))].sort();
}

/** Whether an apply would remove an annotation written by Fairway. */
function removesAnnotation({ obsoleteAnnotations = [] }: AddonObject, live: KubeObject | undefined): boolean {
  return live !== undefined && obsoleteAnnotations.some((annotation) => hasAppliedAnnotation(live, annotation));
}

/** Whether the live object differs in immutable or exact fields, so that it must be recreated. */
function isOutdated(member: AddonObject, live: KubeObject | undefined): boolean {
  const { object: desired, exactFields, immutable = [] } = member;
  if (live === undefined) return false;
  if (exactFields !== undefined && !isAsDesired(live, member)) return true;
  const valueIn = (object: KubeObject, field: string) =>
    (object as unknown as Readonly<Record<string, unknown>>)[field];
  return immutable.some((field) => !isDeepStrictEqual(valueIn(desired, field), valueIn(live, field)));
}

/**
 * The objects of an add-on that can be applied now. `problem`: why its API cannot be registered even though its pods
 * are running.
 */
async function applicableObjects(
  addon: Addon,
  live: LiveObjects,
  { client, workingAddons, clock, signal }: ApplyAddonsOptions,
): Promise<{ readonly objects: readonly AddonObject[]; readonly problem?: string | undefined }> {
  const { name, objects, aggregatedApi } = addon;
  if (aggregatedApi === undefined || objects.length === 0) return { objects };
  const secret = live.get(objectKey(aggregatedApi.certificate));
  const all = await withCertificate(addon, aggregatedApi, secret, clock);
  if (live.has(objectKey(aggregatedApi.registration))) return { objects: all };
  const problem = workingAddons.has(name) ? await apiReachProblem(client, aggregatedApi.probe, signal) : undefined;
  if (workingAddons.has(name) && problem === undefined) return { objects: all };
  const isRegistration = (each: AddonObject) => objectKey(each) === objectKey(aggregatedApi.registration);
  return { objects: all.filter((each) => !isRegistration(each)), problem };
}

/** Writes the record, which only Fairway uses. */
async function writeRecord(client: KubeClient, record: AddonObject, signal: AbortSignal): Promise<void> {
  const options = { fieldManager: FIELD_MANAGER, force: true, signal };
  await wrapTenantError(client.resource(record.type).apply(record.object, options));
}

/**
 * How often an object may change between its check and its deletion: a PodDisruptionBudget's status changes with each
 * eviction.
 */
const MAX_DELETION_ATTEMPTS = 5;

/** Deletes an object as it was observed, or its current version if it is still the same one. Rejects with the tenant's error if it keeps changing. */
async function remove(client: KubeClient, { identity, object }: StaleObject, signal: AbortSignal): Promise<void> {
  const { type, name } = identity;
  const scope = { ...(type.namespaced && { namespace: ADDON_NAMESPACE }), signal };
  const wasMember = isMember(object);
  let seen: KubeObject | undefined = object;
  for (let deletions = 1; seen !== undefined; deletions++) {
    const { uid, resourceVersion } = seen.metadata;
    const preconditions = {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    };
    try {
      const options = { ...scope, ...preconditions, propagationPolicy: 'Background' } as const;
      await wrapTenantError(client.resource(type).delete(name, options));
      return;
    } catch (error) {
      const cause = causeOf(error);
      if (isApiError(cause, 'NotFound')) return;
      if (!isApiError(cause, 'Conflict') || deletions === MAX_DELETION_ATTEMPTS) throw error;
      const now: KubeObject | undefined = await wrapTenantError(
        undefinedIfNotFound(client.resource(type).get(name, scope)),
      );
      // The object was replaced or now belongs to someone else: the next check handles it.
      if (now?.metadata.uid !== object.metadata.uid || (wasMember && !isMember(now))) return;
      seen = now;
    }
  }
}
