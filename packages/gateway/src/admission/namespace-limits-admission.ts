import { countProblem, isLimited, type NamespaceLimits, sizeProblem } from '@fairway/api/domain/namespace-limits';
import { NamespaceUsage } from '@fairway/apiserver/quota/namespace-usage';
import type { AdmissionPlugin, AdmissionRequest } from '@fairway/apiserver/server/admission';
import { bucketOf, canonicalText } from '@fairway/apiserver/server/served-resource';
import type { Store } from '@fairway/apiserver/store/store';
import { forbidden } from '@fairway/kube/object/api-error';
import { ADMINISTRATORS_GROUP } from './needs-validation.ts';
import type { StoredFacts } from './stored-facts.ts';

/**
 * Limits the contents of a namespace, of any kind, on the embedded engine: usage is read within the serialized write,
 * so concurrent writers cannot exceed the limits. Objects created by Fairway's controllers and administrators are
 * counted but never refused. In front of a management cluster, `checkNumber` does what a webhook can.
 */
export function namespaceLimitsAdmission(
  store: Pick<Store, 'buckets' | 'list' | 'follow'>,
  limits: NamespaceLimits,
): AdmissionPlugin {
  const usage = new NamespaceUsage(store, isLimited);
  return {
    name: 'NamespaceLimits',
    decide(request) {
      const { namespace, object, oldObject, subresource } = request;
      const resource = bucketOf(request.resource.storedAs ?? request.resource);
      if (!isCounted(request, resource) || object === undefined || subresource !== '') return;
      const isNew = oldObject === undefined;
      const count = usage.count(namespace, resource);
      const exceededCount = isNew ? countProblem(limits, { namespace, resource, count }) : undefined;
      const problem =
        exceededCount ?? sizeProblem(limits, { namespace, used: usage.bytes(namespace), added: added(request) });
      if (problem !== undefined) throw refusal(request, problem);
    },
  };
}

/**
 * For a webhook: checks only the number of stored objects, so concurrent writes may all pass. An operator's
 * ResourceQuota is exact there.
 */
export async function checkNumber(
  request: AdmissionRequest,
  limits: NamespaceLimits,
  stored: Pick<StoredFacts, 'countOf'>,
): Promise<void> {
  const { namespace } = request;
  const resource = bucketOf(request.resource);
  if (!isCounted(request, resource) || request.operation !== 'CREATE' || request.subresource !== '') return;
  const count = await stored.countOf?.(request.resource, namespace);
  if (count === undefined) return;
  const problem = countProblem(limits, { namespace, resource, count });
  if (problem !== undefined) throw refusal(request, problem);
}

function isCounted({ namespace, user }: AdmissionRequest, resource: string): boolean {
  return namespace !== '' && isLimited(resource) && !user.groups.includes(ADMINISTRATORS_GROUP);
}

function added({ object, oldObject }: AdmissionRequest): number {
  const size = (stored: AdmissionRequest['object']) =>
    stored === undefined ? 0 : Buffer.byteLength(canonicalText(stored));
  return size(object) - size(oldObject);
}

function refusal({ resource, object, name }: AdmissionRequest, problem: string): Error {
  const subject = { group: resource.group, resource: resource.plural, name: object?.metadata.name ?? name };
  return forbidden(subject, problem);
}
