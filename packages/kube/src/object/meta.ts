/** Plain JSON, parsed from a request, a database or a schema. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

/** `metav1.ObjectMeta`; times are RFC 3339 text as on the wire. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

export interface KubeList<T> {
  apiVersion: string;
  kind: string;
  metadata: ListMeta;
  items: T[];
}

/** `metav1.Condition`. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  /** CamelCase and machine-readable; it implies who must act. */
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

/** Identifies a resource type on the wire: `/apis/GROUP/VERSION/[namespaces/NS/]PLURAL`. The core group is ''. */
export interface ResourceType<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Carries T at compile time only. */
  readonly _object?: T;
}

/** `group/version`, or the version alone for the core group. */
export function apiVersionOf(type: { group: string; version: string }): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}
