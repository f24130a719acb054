import { API_VERSION, FINALIZER } from '@fairway/api/group';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { TransportRequest } from '@fairway/kube/client/transport';
import { ApiError } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';

const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';
const NO_FINALIZERS = { finalizers: null };

/** A way to remove the controllers' finalizer from an object. */
export interface Attempt {
  readonly description: string;
  readonly method: TransportRequest['method'];
  /** Appended to the object's path. */
  readonly pathSuffix?: string;
  readonly type?: string;
  readonly accept?: string;
  readonly body: (current: KubeObject) => unknown;
}

function withMetadata({ apiVersion, kind, metadata }: KubeObject, rest: object) {
  return { apiVersion, kind, metadata: { name: metadata.name, namespace: metadata.namespace, ...rest } };
}

function withoutFinalizers({ metadata: { finalizers: _finalizers, ...metadata }, ...object }: KubeObject) {
  return { ...object, metadata };
}

export const ATTEMPTS: readonly Attempt[] = [
  { description: 'a merge patch', method: 'PATCH', type: MERGE, body: () => ({ metadata: NO_FINALIZERS }) },
  {
    description: 'an own list',
    method: 'PATCH',
    type: MERGE,
    body: () => ({ metadata: { finalizers: ['example.com/x'] } }),
  },
  { description: 'an empty list', method: 'PATCH', type: MERGE, body: () => ({ metadata: { finalizers: [] } }) },
  { description: 'no metadata', method: 'PATCH', type: MERGE, body: () => ({ metadata: null }) },
  {
    description: 'a JSON patch that removes the list',
    method: 'PATCH',
    type: JSON_PATCH,
    body: () => [{ op: 'remove', path: '/metadata/finalizers' }],
  },
  {
    description: 'a JSON patch that removes the item',
    method: 'PATCH',
    type: JSON_PATCH,
    body: () => [{ op: 'remove', path: '/metadata/finalizers/0' }],
  },
  {
    description: 'a JSON patch that moves an annotation over it',
    method: 'PATCH',
    type: JSON_PATCH,
    body: () => [
      { op: 'add', path: '/metadata/ownerReferences', value: [] },
      { op: 'move', from: '/metadata/ownerReferences', path: '/metadata/finalizers' },
    ],
  },
  {
    description: 'a JSON patch of the whole metadata',
    method: 'PATCH',
    type: JSON_PATCH,
    body: ({ metadata: { finalizers: _finalizers, ...value } }) => [{ op: 'replace', path: '/metadata', value }],
  },
  {
    description: 'a strategic patch',
    method: 'PATCH',
    type: 'application/strategic-merge-patch+json',
    body: () => ({ metadata: { '$deleteFromPrimitiveList/finalizers': [FINALIZER] } }),
  },
  {
    description: 'a server-side apply with a list of its own',
    method: 'PATCH',
    pathSuffix: '?fieldManager=thief&force=true',
    type: APPLY_PATCH,
    body: (current) => withMetadata(current, { finalizers: ['example.com/x'] }),
  },
  {
    description: "two server-side applies under Fairway's own name",
    method: 'PATCH',
    pathSuffix: '?fieldManager=fairway&force=true',
    type: APPLY_PATCH,
    body: (current) => withMetadata(current, {}),
  },
  {
    description: 'a reset of managed fields',
    method: 'PATCH',
    type: MERGE,
    body: () => ({ metadata: { managedFields: [{}], ...NO_FINALIZERS } }),
  },
  { description: 'an update', method: 'PUT', body: withoutFinalizers },
  {
    description: 'an update with an own list',
    method: 'PUT',
    body: (current) => ({ ...current, metadata: { ...current.metadata, finalizers: ['example.com/x'] } }),
  },
  {
    description: 'metadata alone',
    method: 'PATCH',
    type: MERGE,
    accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    body: () => ({ metadata: NO_FINALIZERS }),
  },
  {
    description: 'the status',
    method: 'PATCH',
    pathSuffix: '/status',
    type: MERGE,
    body: () => ({ metadata: NO_FINALIZERS }),
  },
  { description: 'an update of the status', method: 'PUT', pathSuffix: '/status', body: withoutFinalizers },
  {
    description: 'the scale',
    method: 'PATCH',
    pathSuffix: '/scale',
    type: MERGE,
    body: () => ({ metadata: NO_FINALIZERS }),
  },
  {
    description: 'an update of the scale',
    method: 'PUT',
    pathSuffix: '/scale',
    body: ({ metadata: { finalizers: _finalizers, ...metadata } }) => ({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata,
      spec: { replicas: 1 },
    }),
  },
  {
    description: 'a deletion that orphans',
    method: 'DELETE',
    body: () => ({ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Orphan', gracePeriodSeconds: 0 }),
  },
  {
    description: 'a merge patch while it is being deleted',
    method: 'PATCH',
    type: MERGE,
    body: () => ({ metadata: NO_FINALIZERS }),
  },
  {
    description: 'a patch that clears its deletionTimestamp',
    method: 'PATCH',
    type: MERGE,
    body: () => ({ metadata: { deletionTimestamp: null, ...NO_FINALIZERS } }),
  },
];

/** Performs the attempt twice on an object: the second apply may remove what the first one set. */
export async function attack(
  attacker: KubeClient,
  { method, pathSuffix = '', type, accept, body }: Attempt,
  target: KubeObject,
  plural: string,
): Promise<void> {
  const { name, namespace } = target.metadata;
  const path = `/apis/${API_VERSION}/namespaces/${namespace}/${plural}/${name}${pathSuffix}`;
  const headers = { 'content-type': type ?? 'application/json', ...(accept !== undefined && { accept }) };
  for (let i = 0; i < 2; i++) {
    await refusalOutcome(attacker.raw({ method, path, headers, body: JSON.stringify(body(target)) }));
  }
}

/** Attempts may be rejected or have no effect, but a server error is a failure. */
export async function refusalOutcome(attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code >= 500) throw error;
  }
}
