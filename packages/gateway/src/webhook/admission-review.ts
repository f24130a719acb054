import type { UserInfo } from '@fairway/apiserver/auth/user';
import type { ApiError, Status } from '@fairway/kube/object/api-error';
import { badRequest } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';

const API_VERSION = 'admission.k8s.io/v1';

const AnyObject = z.looseObject({ metadata: z.looseObject({}).optional() }).nullish();
const User = z.object({
  username: z.string().default(''),
  uid: z.string().optional(),
  groups: z.array(z.string()).default([]),
  extra: z.record(z.string(), z.array(z.string())).optional(),
});
const Review = z.object({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal('AdmissionReview'),
  request: z.object({
    uid: z.string().min(1),
    resource: z.object({ group: z.string(), version: z.string(), resource: z.string() }),
    subResource: z.string().default(''),
    name: z.string().default(''),
    namespace: z.string().default(''),
    operation: z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']),
    userInfo: User,
    dryRun: z.boolean().nullish(),
    object: AnyObject,
    oldObject: AnyObject,
  }),
});

/** kube-apiserver's request to an admission webhook: the fields of `admission.k8s.io/v1` that Fairway uses. */
export interface ReviewRequest {
  readonly uid: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** '' if the server generates the name, on create with generateName. */
  readonly name: string;
  readonly namespace: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** Throws 400 if the body is not a v1 AdmissionReview. */
export function parseReview(body: string): ReviewRequest {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (error) {
    throw badRequest(`the body is not JSON: ${(error as Error).message}`);
  }
  const parsed = Review.safeParse(json);
  if (!parsed.success)
    throw badRequest(`the body is not an AdmissionReview of ${API_VERSION}: ${z.prettifyError(parsed.error)}`);
  const { uid, resource, subResource, userInfo, dryRun, object, oldObject, ...request } = parsed.data.request;
  const { username, groups, uid: uidOfUser, extra } = userInfo;
  return {
    ...request,
    uid,
    group: resource.group,
    resource: resource.resource,
    subresource: subResource,
    user: { username, groups, ...(uidOfUser !== undefined && { uid: uidOfUser }), ...(extra && { extra }) },
    dryRun: dryRun === true,
    object: kubeObject(object),
    oldObject: kubeObject(oldObject),
  };
}

/** The API server that sends the object has validated it against its kind's schema. */
function kubeObject(object: z.infer<typeof AnyObject>): KubeObject | undefined {
  return object ? { ...object, metadata: object.metadata ?? {} } : undefined;
}

/** The response to a review; the client sees `refusal`. */
export function reviewResponse(
  uid: string,
  { warnings, refusal }: { readonly warnings: readonly string[]; readonly refusal?: ApiError | undefined },
): object {
  const status: Status | undefined = refusal?.toStatus();
  return {
    apiVersion: API_VERSION,
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: refusal === undefined,
      ...(status && { status }),
      ...(warnings.length > 0 && { warnings }),
    },
  };
}
