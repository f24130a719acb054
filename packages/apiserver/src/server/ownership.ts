import type { KubeObject } from '@fairway/kube/object/meta';
import { trackUpdate } from '../patch/managed-fields.ts';
import type { Core } from './core.ts';
import type { ResourceRequest } from './request.ts';

const MAX_MANAGER_LENGTH = 128;

/** The request's field manager: as it says, or the program's name in its User-Agent. */
export function managerOf({ query, headers }: ResourceRequest): string {
  const named = query.get('fieldManager');
  if (named !== null && named !== '') return named;
  const [program = ''] = (headers['user-agent'] ?? '').split('/');
  return program.slice(0, MAX_MANAGER_LENGTH) || 'unknown';
}

/** What the code of field ownership asks about the kind. */
export function trackedKindOf(core: Core, { resource }: ResourceRequest) {
  const { schema, hasStatus = false } = resource.definition;
  return { schema, definitions: core.definitions, hasStatus };
}

/** Sets `metadata.managedFields` for an object that is about to be stored. An apply has done so itself. */
export function track(core: Core, request: ResourceRequest, object: KubeObject, live: KubeObject | undefined): void {
  if (request.isApply) return;
  const managed = trackUpdate({
    ...trackedKindOf(core, request),
    live,
    updated: object,
    manager: managerOf(request),
    apiVersion: request.resource.apiVersion,
    subresource: request.subresource,
    nowMs: request.nowMs,
  });
  if (managed.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = [...managed];
}
