import { GROUP, PAUSED_ANNOTATION } from '@fairway/api/group';
import { RESTORE_PAUSE } from '@fairway/api/pause';
import type { AdmissionRequest } from '@fairway/apiserver/server/admission';

/** Kubernetes' own group of those who may do everything. */
const ADMINISTRATORS = 'system:masters';

/** Whether a request writes the spec of one of Fairway's objects, and so is judged. */
export function isJudged(request: AdmissionRequest): boolean {
  const { resource, subresource, operation, object } = request;
  if (resource.group !== GROUP || !(subresource === '' || subresource === 'scale') || object === undefined)
    return false;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
  return !isSpecUnchanged(request) && !isRestored(request);
}

/** Metadata alone (labels, finalizers) is no reason to ask the cloud. */
function isSpecUnchanged({ object, oldObject }: AdmissionRequest): boolean {
  if (oldObject === undefined) return false;
  const spec = (value: unknown) => JSON.stringify((value as { spec?: unknown }).spec);
  return spec(object) === spec(oldObject);
}

/**
 * What an administrator restores was admitted where it was made, and already exists: quotas that its own nodes have used up, or a
 * version that is offered no more, are no reason against it.
 */
function isRestored({ operation, object, user }: AdmissionRequest): boolean {
  const mark = object?.metadata.annotations?.[PAUSED_ANNOTATION];
  return operation === 'CREATE' && mark === RESTORE_PAUSE && user.groups.includes(ADMINISTRATORS);
}
