import { ApiError, badRequest, forbidden, notFound } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { Core } from './core.ts';
import type { ResourceRequest } from './request.ts';
import type { ServedResource } from './served-resource.ts';

const NAMESPACES = 'namespaces';

export function isNamespace(resource: ServedResource): boolean {
  return resource.group === '' && resource.plural === NAMESPACES;
}

/** Upstream's NamespaceLifecycle: nothing is created in a namespace that is missing (404) or terminating (403). */
export function ensureNamespace(core: Core, request: ResourceRequest, object: KubeObject): void {
  const { resource } = request;
  if (!resource.namespaced || core.registry.find('', 'v1', NAMESPACES) === undefined) return;
  const name = object.metadata.namespace;
  if (name === undefined) throw badRequest('an empty namespace may not be set during creation');
  const namespace = core.store.get(NAMESPACES, name)?.object();
  if (namespace === undefined) throw notFound({ resource: NAMESPACES, name });
  if (namespace.metadata.deletionTimestamp === undefined) return;
  const subject = resource.subject(object.metadata.name);
  const detail = `unable to create new content in namespace ${name} because it is being terminated`;
  throw new ApiError(403, 'Forbidden', forbidden(subject, detail).message, {
    subject,
    causes: [
      { reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' },
    ],
  });
}

const UNDELETABLE_NAMESPACES = ['default', 'kube-system', 'kube-public'];

/** Upstream's NamespaceLifecycle: these namespaces must not be deleted. */
export function refuseUndeletableNamespace({ resource, name }: ResourceRequest): void {
  if (UNDELETABLE_NAMESPACES.includes(name))
    throw forbidden(resource.subject(name), 'this namespace may not be deleted');
}

/** What blocks deletion of a namespace in addition to `metadata.finalizers`. */
export function specFinalizers(object: KubeObject): readonly string[] {
  return (object as KubeObject & { spec?: { finalizers?: string[] } }).spec?.finalizers ?? [];
}
