import { formatTime } from '@fairway/base/clock';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { BoundObjectReference, Node, Pod, TokenRequest } from '@fairway/kube/kinds/generated/types';
import { Nodes, Pods, Secrets } from '@fairway/kube/kinds/resources';
import { badRequest, conflict, notFound } from '@fairway/kube/object/api-error';
import { invalid } from '@fairway/kube/object/field-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { z } from 'zod';
import type { CustomSubresource, SubresourceRequest } from '../server/resource.ts';
import { accessOf } from './reviews/review-definition.ts';
import type { ObjectIdentity, ServiceAccountTokenSubject } from './service-account-tokens.ts';

const DEFAULT_SECONDS = 3600;
/** Shorter lifetimes are rejected: a client needs time to request the next token. */
export const MIN_TOKEN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

/** `serviceaccounts/token`: `kubectl create token`, and nodes' requests on behalf of their pods. */
export const serviceAccountToken: CustomSubresource = {
  kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
  schema: { $ref: 'io.k8s.api.authentication.v1.TokenRequest' },
  create: createToken,
};

async function createToken(request: SubresourceRequest): Promise<TokenRequest> {
  const { namespace, name, parent, nowMs, dryRun } = request;
  const access = accessOf(request.access);
  const spec = specOf(request);
  const { boundObjectRef } = spec;
  const requestedSeconds = spec.expirationSeconds ?? DEFAULT_SECONDS;
  const expirationSeconds = Math.min(requestedSeconds, access.maxTokenSeconds);
  if (expirationSeconds < requestedSeconds) {
    request.warn(
      `requested expiration of ${requestedSeconds} seconds shortened to ${expirationSeconds} seconds, the maximum lifetime of a token`,
    );
  }
  const audiences = spec.audiences?.length ? spec.audiences : access.apiAudiences;
  const subject: ServiceAccountTokenSubject = {
    namespace,
    serviceAccount: identityOf(parent),
    ...(boundObjectRef && bind(access.reader, namespace, name, boundObjectRef)),
  };
  const token = dryRun ? '' : await access.signToken(subject, audiences, expirationSeconds);
  return {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name, namespace, creationTimestamp: formatTime(nowMs) },
    spec: { audiences: [...audiences], expirationSeconds, ...(boundObjectRef && { boundObjectRef }) },
    status: { token, expirationTimestamp: formatTime(nowMs + expirationSeconds * 1000) },
  };
}

const Body = z.object({
  spec: z.object({
    audiences: z.array(z.string()).nullish(),
    expirationSeconds: z.int().nullish(),
    boundObjectRef: z
      .object({
        apiVersion: z.string().exactOptional(),
        kind: z.string().exactOptional(),
        name: z.string().exactOptional(),
        uid: z.string().exactOptional(),
      })
      .nullish(),
  }),
});

/** Parses the body. Throws if it is not a TokenRequest, or if the requested lifetime is too short or too long. */
function specOf({ body, name }: SubresourceRequest): z.infer<typeof Body>['spec'] {
  const parsed = Body.safeParse(body);
  if (!parsed.success) throw badRequest(`TokenRequest: ${z.prettifyError(parsed.error)}`);
  const { spec } = parsed.data;
  const seconds = spec.expirationSeconds ?? DEFAULT_SECONDS;
  if (seconds >= MIN_TOKEN_SECONDS && seconds <= MAX_SECONDS) return spec;
  const detail =
    seconds < MIN_TOKEN_SECONDS
      ? 'may not specify a duration less than 10 minutes'
      : 'may not specify a duration larger than 2^32 seconds';
  throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, name, [
    { type: 'FieldValueInvalid', field: 'spec.expirationSeconds', value: seconds, detail },
  ]);
}

/** The bound object. It must exist, and have the given UID if there is one. */
function bind(
  reader: ObjectReader,
  namespace: string,
  serviceAccount: string,
  reference: BoundObjectReference,
): Pick<ServiceAccountTokenSubject, 'pod' | 'secret' | 'node'> {
  const { kind, apiVersion, name = '', uid } = reference;
  const find = <T extends KubeObject>(type: ResourceType<T>, namespace: string): T => {
    const object = reader.get(type, namespace, name);
    if (object === undefined) throw notFound({ resource: type.plural, name });
    if (!uid || uid === object.metadata.uid) return object;
    const detail = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ resource: type.plural, name }, detail);
  };
  switch (`${apiVersion}/${kind}`) {
    case 'v1/Pod': {
      const pod = find(Pods, namespace);
      confirmAccount(pod, serviceAccount);
      return { pod: identityOf(pod), node: nodeOf(reader, pod) };
    }
    case 'v1/Secret':
      return { secret: identityOf(find(Secrets, namespace)) };
    case 'v1/Node':
      return { node: identityOf(find<Node>(Nodes, '')) };
    default:
      throw badRequest(
        `cannot bind token for serviceaccount "${serviceAccount}" to object of apiVersion "${apiVersion}" and kind "${kind}"`,
      );
  }
}

function confirmAccount(pod: Pod, serviceAccount: string): void {
  const { serviceAccountName = '' } = pod.spec;
  if (serviceAccountName === serviceAccount) return;
  throw badRequest(
    `cannot bind token for serviceaccount "${serviceAccount}" to pod running with different serviceaccount name.`,
  );
}

function nodeOf(reader: ObjectReader, pod: Pod): ObjectIdentity | undefined {
  const node = pod.spec.nodeName === undefined ? undefined : reader.get(Nodes, '', pod.spec.nodeName);
  return node && identityOf(node);
}

function identityOf({ metadata }: KubeObject): ObjectIdentity {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' };
}
