import { API_VERSION, FINALIZER } from '@fairway/api/group';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { TransportRequest } from '@fairway/kube/client/transport';
import { ApiError } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';

const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const BARE = { finalizers: null };

/** A way to remove the controllers' finalizer from an object. */
export interface Attempt {
  readonly how: string;
  readonly method: TransportRequest['method'];
  /** After the object's path. */
  readonly below?: string;
  readonly type?: string;
  readonly accept?: string;
  readonly body: (current: KubeObject) => unknown;
}

function identified({ apiVersion, kind, metadata }: KubeObject, rest: object) {
  return { apiVersion, kind, metadata: { name: metadata.name, namespace: metadata.namespace, ...rest } };
}

function stripped({ metadata: { finalizers: _finalizers, ...metadata }, ...object }: KubeObject) {
  return { ...object, metadata };
}

export const ATTEMPTS: readonly Attempt[] = [
  { how: 'a merge patch', method: 'PATCH', type: MERGE, body: () => ({ metadata: BARE }) },
  { how: 'an own list', method: 'PATCH', type: MERGE, body: () => ({ metadata: { finalizers: ['example.com/x'] } }) },
  { how: 'an empty list', method: 'PATCH', type: MERGE, body: () => ({ metadata: { finalizers: [] } }) },
  { how: 'no metadata', method: 'PATCH', type: MERGE, body: () => ({ metadata: null }) },
  {
    how: 'a JSON patch that removes the list',
    method: 'PATCH',
    type: JSON_PATCH,
    body: () => [{ op: 'remove', path: '/metadata/finalizers' }],
  },
  {
    how: 'a JSON patch that removes the item',
    method: 'PATCH',
    type: JSON_PATCH,
    body: () => [{ op: 'remove', path: '/metadata/finalizers/0' }],
  },
  {
    how: 'a JSON patch that moves an annotation over it',
    method: 'PATCH',
    type: JSON_PATCH,
    body: () => [
      { op: 'add', path: '/metadata/ownerReferences', value: [] },
      { op: 'move', from: '/metadata/ownerReferences', path: '/metadata/finalizers' },
    ],
  },
  {
    how: 'a JSON patch of the whole metadata',
    method: 'PATCH',
    type: JSON_PATCH,
    body: ({ metadata: { finalizers: _finalizers, ...value } }) => [{ op: 'replace', path: '/metadata', value }],
  },
  {
    how: 'a strategic patch',
    method: 'PATCH',
    type: 'application/strategic-merge-patch+json',
    body: () => ({ metadata: { '$deleteFromPrimitiveList/finalizers': [FINALIZER] } }),
  },
  {
    how: 'a server-side apply of an own list',
    method: 'PATCH',
    below: '?fieldManager=thief&force=true',
    type: APPLY,
    body: (current) => identified(current, { finalizers: ['example.com/x'] }),
  },
  {
    how: "two server-side applies under Fairway's own name",
    method: 'PATCH',
    below: '?fieldManager=fairway&force=true',
    type: APPLY,
    body: (current) => identified(current, {}),
  },
  {
    how: 'a reset of managed fields',
    method: 'PATCH',
    type: MERGE,
    body: () => ({ metadata: { managedFields: [{}], ...BARE } }),
  },
  { how: 'an update', method: 'PUT', body: stripped },
  {
    how: 'an update with an own list',
    method: 'PUT',
    body: (current) => ({ ...current, metadata: { ...current.metadata, finalizers: ['example.com/x'] } }),
  },
  {
    how: 'metadata alone',
    method: 'PATCH',
    type: MERGE,
    accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    body: () => ({ metadata: BARE }),
  },
  { how: 'the status', method: 'PATCH', below: '/status', type: MERGE, body: () => ({ metadata: BARE }) },
  { how: 'an update of the status', method: 'PUT', below: '/status', body: stripped },
  { how: 'the scale', method: 'PATCH', below: '/scale', type: MERGE, body: () => ({ metadata: BARE }) },
  {
    how: 'an update of the scale',
    method: 'PUT',
    below: '/scale',
    body: ({ metadata: { finalizers: _finalizers, ...metadata } }) => ({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata,
      spec: { replicas: 1 },
    }),
  },
  {
    how: 'a deletion that orphans',
    method: 'DELETE',
    body: () => ({ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Orphan', gracePeriodSeconds: 0 }),
  },
  { how: 'a merge patch while it is being deleted', method: 'PATCH', type: MERGE, body: () => ({ metadata: BARE }) },
  {
    how: 'a patch that takes its deletion back',
    method: 'PATCH',
    type: MERGE,
    body: () => ({ metadata: { deletionTimestamp: null, ...BARE } }),
  },
];

/** Tries it twice on an object: the second apply may remove what the first one set. */
export async function attack(
  thief: KubeClient,
  { method, below = '', type, accept, body }: Attempt,
  target: KubeObject,
  plural: string,
): Promise<void> {
  const { name, namespace } = target.metadata;
  const path = `/apis/${API_VERSION}/namespaces/${namespace}/${plural}/${name}${below}`;
  const headers = { 'content-type': type ?? 'application/json', ...(accept !== undefined && { accept }) };
  for (let i = 0; i < 2; i++) {
    await refusedOrNot(thief.raw({ method, path, headers, body: JSON.stringify(body(target)) }));
  }
}

/** Attempts may be rejected or have no effect; a server error is a failure. */
export async function refusedOrNot(attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code >= 500) throw error;
  }
}
