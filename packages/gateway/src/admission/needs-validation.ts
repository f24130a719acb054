import { GROUP, PAUSED_ANNOTATION } from '@fairway/api/group';
import { RESTORE_PAUSE } from '@fairway/api/pause';
import type { AdmissionRequest } from '@fairway/apiserver/server/admission';

/** Kubernetes' superuser group. */
export const ADMINISTRATORS_GROUP = 'system:masters';

/** Whether a request writes the spec of a Fairway object, and so must be validated. */
export function needsValidation(request: AdmissionRequest): boolean {
  const { resource, subresource, operation, object } = request;
  if (resource.group !== GROUP || !(subresource === '' || subresource === 'scale') || object === undefined)
    return false;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
  return !isSpecUnchanged(request) && !isRestoredObject(request);
}

/** A metadata-only change (labels, finalizers) does not need the cloud. */
function isSpecUnchanged({ object, oldObject }: AdmissionRequest): boolean {
  if (oldObject === undefined) return false;
  const spec = (value: unknown) => JSON.stringify((value as { spec?: unknown }).spec);
  return spec(object) === spec(oldObject);
}

/**
 * A restored object was admitted where it was created, and its resources exist: a quota that its own nodes use up, or a
 * version that is no longer offered, must not reject it.
 */
function isRestoredObject({ operation, object, user }: AdmissionRequest): boolean {
  const mark = object?.metadata.annotations?.[PAUSED_ANNOTATION];
  return operation === 'CREATE' && mark === RESTORE_PAUSE && user.groups.includes(ADMINISTRATORS_GROUP);
}
