import type { AdmissionRequest, WriteInProgress } from '@fairway/apiserver/server/admission';
import { scaleOf } from '@fairway/apiserver/server/scale';
import { ServedResource } from '@fairway/apiserver/server/served-resource';
import { Namespaces } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { kindIn, resourceIn } from '../request-kind.ts';

const API_VERSION = 'admission.k8s.io/v1';

/** The AdmissionReview that a webhook receives. `version` is the resource version to which the write is converted. */
export async function reviewOf(
  request: AdmissionRequest,
  write: WriteInProgress,
  version: ServedResource | undefined,
  uid: string,
): Promise<object> {
  const { resource, subresource, operation, user, dryRun, name, object, oldObject } = request;
  const served = ServedResource.of(resource);
  const as = version ?? served;
  const shown = async (value: KubeObject | undefined) =>
    value === undefined ? null : objectForWebhook(value, served, as, subresource);
  const isNamespace = resource.group === '' && resource.plural === Namespaces.plural;
  const namespace = isNamespace ? name : request.namespace;
  return {
    kind: 'AdmissionReview',
    apiVersion: API_VERSION,
    request: {
      uid,
      kind: kindIn(as, subresource),
      resource: resourceIn(as),
      ...(subresource !== '' && { subResource: subresource }),
      requestKind: kindIn(served, subresource),
      requestResource: resourceIn(served),
      ...(subresource !== '' && { requestSubResource: subresource }),
      ...(name !== '' && { name }),
      ...(namespace !== '' && { namespace }),
      operation,
      userInfo: user,
      object: await shown(object),
      // A created subresource has no old object: its parent is not an earlier version of it.
      oldObject: operation === 'CREATE' || operation === 'CONNECT' ? null : await shown(oldObject),
      dryRun,
      options: operation === 'CONNECT' ? null : write.options(),
    },
  };
}

/** The object as webhooks see it: the Scale for a write to `scale`, in the version that their rules match. */
export async function objectForWebhook(
  object: KubeObject,
  served: ServedResource,
  as: ServedResource,
  subresource: string,
): Promise<KubeObject> {
  const { scale } = served.definition;
  if (subresource === 'scale' && scale !== undefined) return scaleOf(object, scale);
  if (as === served || object.kind !== served.kind) return object;
  return as.fromStored(await served.toStored(structuredClone(object)));
}

const text = z.string().nullish();

const reviewed = z.object({
  apiVersion: text,
  kind: text,
  response: z
    .object({
      uid: text,
      allowed: z.boolean().nullish(),
      status: z
        .object({
          code: z.number().int().nullish(),
          reason: text,
          message: text,
          details: z
            .object({
              name: text,
              group: text,
              kind: text,
              causes: z.array(z.object({ reason: text, message: text, field: text })).nullish(),
              retryAfterSeconds: z.number().int().nullish(),
            })
            .nullish(),
        })
        .nullish(),
      patch: text,
      patchType: text,
      auditAnnotations: z.record(z.string(), z.string()).nullish(),
      warnings: z.array(z.string()).nullish(),
    })
    .nullish(),
});

export type ReviewResponse = NonNullable<z.infer<typeof reviewed>['response']>;

/** The response in the returned review, or why it is invalid, in kube-apiserver's words. */
export function responseOf(body: unknown, uid: string, isMutating: boolean): ReviewResponse | string {
  const parsed = reviewed.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `the AdmissionReview cannot be read: ${issue?.path.join('.')}: ${issue?.message}`;
  }
  const { apiVersion, kind, response } = parsed.data;
  if (response === undefined || response === null) return 'webhook response was absent';
  if (response.uid !== uid)
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`;
  if (apiVersion !== API_VERSION || kind !== 'AdmissionReview') {
    return `expected webhook response of ${API_VERSION}, Kind=AdmissionReview, got ${goKind(apiVersion ?? '', kind ?? '')}`;
  }
  const hasPatch = Boolean(response.patch);
  const hasType = response.patchType !== undefined && response.patchType !== null;
  if (!isMutating) {
    if (hasPatch) return 'validating webhook may not return response.patch';
    return hasType ? 'validating webhook may not return response.patchType' : response;
  }
  if (hasPatch && !hasType) return 'webhook returned response.patch but not response.patchType';
  if (!hasPatch && hasType) return 'webhook returned response.patchType but not response.patch';
  if (hasType && response.patchType !== 'JSONPatch')
    return `unsupported patch type ${JSON.stringify(response.patchType)}`;
  return response;
}

/** A GroupVersionKind as Go prints it. */
function goKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
