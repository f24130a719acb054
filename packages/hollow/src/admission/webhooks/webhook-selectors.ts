import type { Authorizer } from '@fairway/apiserver/auth/user';
import type { AdmissionRequest } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { matchesLabels } from '@fairway/kube/object/selector';
import { namespaceOf } from '../policy-match.ts';
import type { Webhook } from './webhook-set.ts';

/** Whether a webhook with matching rules needs to be called, according to its selectors and conditions. Throws 403 if a condition fails. */
export function isSelected(
  { namespaces, objects, conditions }: Webhook,
  request: AdmissionRequest,
  reader: Pick<ObjectReader, 'get'>,
  authorizer: Authorizer,
): boolean {
  if (namespaces !== undefined) {
    const namespace = namespaceOf(request, reader);
    if (namespace !== undefined && !matchesLabels(namespaces, namespace.metadata.labels ?? {})) return false;
  }
  if (objects !== undefined) {
    const isMatch = [request.object, request.oldObject].some(
      (object) => object !== undefined && matchesLabels(objects, object.metadata?.labels ?? {}),
    );
    if (!isMatch) return false;
  }
  return conditions.hold(request, authorizer);
}
