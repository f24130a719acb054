import { apiVersionOf, type KubeObject, type OwnerReference, type ResourceType } from '../object/meta.ts';

/** An owner reference that makes `owner` the object's controller and blocks the owner's foreground deletion. */
export function controllerRef(owner: KubeObject, type: ResourceType): OwnerReference {
  return { ...ownerRef(owner, type), controller: true, blockOwnerDeletion: true };
}

/** A plain owner reference: the object is garbage-collected with `owner`. */
export function ownerRef(owner: KubeObject, type: ResourceType): OwnerReference {
  const { name, uid } = owner.metadata;
  if (name === undefined || uid === undefined) {
    throw new TypeError(`a ${type.kind} without name and uid can't be an owner: create it first`);
  }
  return { apiVersion: apiVersionOf(type), kind: type.kind, name, uid };
}

/** The owner reference to the object's controller. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const uid = controllerOf(object)?.uid;
  return uid !== undefined && uid === owner.metadata.uid;
}

/**
 * Maps an object to the keys of its controllers of kind `type` (same group and kind, any version). A `MapToKeys` for
 * `Controller.watch`.
 */
export function controllerKeys(type: ResourceType): (object: KubeObject) => string[] {
  return (object) => {
    const reference = controllerOf(object);
    if (!reference || reference.kind !== type.kind || groupOf(reference.apiVersion) !== type.group) return [];
    const { namespace } = object.metadata;
    return [type.namespaced && namespace ? `${namespace}/${reference.name}` : reference.name];
  };
}

/** The group of an `apiVersion`; '' for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

/** Name of an index over `controllerOf(object).uid`. */
export const CONTROLLER_UID_INDEX = 'controller-uid';

/** Index function of `CONTROLLER_UID_INDEX`: finds an owner's children in one lookup. */
export function controllerUidOf(object: KubeObject): string[] {
  const uid = controllerOf(object)?.uid;
  return uid === undefined ? [] : [uid];
}
