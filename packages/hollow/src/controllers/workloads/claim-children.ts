import type { Informer } from '@fairway/kube/client/informer';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import { CONTROLLER_UID_INDEX, controllerOf, controllerRef, controllerUidOf } from '@fairway/kube/controller/owners';
import type { LabelSelector } from '@fairway/kube/kinds/generated/types';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { compileLabelSelector, matchesLabels } from '@fairway/kube/object/selector';

/** Name of an index of objects without a controller, by namespace: candidates for adoption. */
const ORPHANS_INDEX = 'orphans';

function orphanNamespace(object: KubeObject): string[] {
  return controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : [];
}

/** Indexes an informer's objects by owner, and orphans by namespace. */
export function indexChildren<T extends KubeObject>(informer: Informer<T>): Informer<T> {
  informer.addIndex(CONTROLLER_UID_INDEX, controllerUidOf);
  informer.addIndex(ORPHANS_INDEX, orphanNamespace);
  return informer;
}

export interface ChildrenOptions<T extends KubeObject, O extends KubeObject> {
  readonly informer: Informer<T>;
  readonly children: ResourceClient<T>;
  readonly owners: ResourceClient<O>;
  readonly ownerType: ResourceType<O>;
  /** Set on children with their owner reference, and removed with it. */
  readonly finalizer?: string;
}

/**
 * Claims the children of an owner like upstream's ControllerRefManager: keeps those it controls and selects, adopts
 * orphans that it selects, and releases children that it no longer selects.
 */
export async function claimChildren<T extends KubeObject, O extends KubeObject>(
  owner: O,
  selector: LabelSelector | undefined,
  { informer, children, owners, ownerType, finalizer }: ChildrenOptions<T, O>,
): Promise<T[]> {
  const matcher = compileLabelSelector(selector);
  const isSelected = ({ metadata }: T) => matchesLabels(matcher, metadata.labels ?? {});
  const { uid = '', namespace = '', name = '' } = owner.metadata;
  const isTerminating = owner.metadata.deletionTimestamp !== undefined;
  const claimed: T[] = [];
  for (const child of informer.byIndex(CONTROLLER_UID_INDEX, uid)) {
    if (isSelected(child)) claimed.push(child);
    else if (!isTerminating) {
      const left = (child.metadata.finalizers ?? []).filter((one) => one !== finalizer);
      await writeReferences(
        children,
        child,
        (child.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid),
        finalizer !== undefined && { finalizers: left.length > 0 ? left : null },
      );
    }
  }
  if (isTerminating) return claimed;
  const orphans = informer
    .byIndex(ORPHANS_INDEX, namespace)
    .filter((child) => child.metadata.deletionTimestamp === undefined && isSelected(child));
  if (orphans.length === 0) return claimed;
  // The cache may be stale, and an owner being deleted must not adopt.
  const fresh = await owners.get(name, { namespace });
  if (fresh.metadata.uid !== uid || fresh.metadata.deletionTimestamp !== undefined) return claimed;
  for (const child of orphans) {
    const references = [...(child.metadata.ownerReferences ?? []), controllerRef(owner, ownerType)];
    const held = child.metadata.finalizers ?? [];
    const isHeld = finalizer === undefined || held.includes(finalizer);
    const adopted = await writeReferences(children, child, references, !isHeld && { finalizers: [...held, finalizer] });
    if (adopted) claimed.push(adopted);
  }
  return claimed;
}

/** Owners in the orphan's namespace that select it; used by `MapToKeys` for children without a controller. */
export function isSelectedBy(child: KubeObject, selector: LabelSelector | undefined): boolean {
  const isEmpty = !selector?.matchExpressions?.length && Object.keys(selector?.matchLabels ?? {}).length === 0;
  return !isEmpty && matchesLabels(compileLabelSelector(selector), child.metadata.labels ?? {});
}

async function writeReferences<T extends KubeObject>(
  client: ResourceClient<T>,
  child: T,
  references: readonly object[],
  more: { readonly finalizers: readonly string[] | null } | false,
): Promise<T | undefined> {
  const { name = '', namespace = '', uid, resourceVersion } = child.metadata;
  const ownerReferences = references.length > 0 ? references : null;
  try {
    return await client.patch(
      name,
      { type: 'merge', value: { metadata: { uid, resourceVersion, ownerReferences, ...more } } },
      { namespace },
    );
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
