import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { applyDefaults } from '@fairway/apiserver/schema/defaults';
import type { Schema } from '@fairway/apiserver/schema/schema';
import { validateObject } from '@fairway/apiserver/schema/validate';
import type { CustomSubresource } from '@fairway/apiserver/server/resource';
import { type ApiError, conflict } from '@fairway/kube/object/api-error';
import { invalid } from '@fairway/kube/object/field-error';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';

/** A kind that requests information about an object: `spec` is the request, `status` the response. */
interface Question extends KubeObject {
  readonly spec: unknown;
  readonly status?: unknown;
}

/** An authorized request with valid fields. */
export interface AuthorizedRequest<Q extends Question, P extends KubeObject> {
  readonly spec: Q['spec'];
  readonly parent: P;
  readonly user: UserInfo;
  readonly dryRun: boolean;
}

/** A POST to a subresource of an object, such as `clusters/NAME/SUBRESOURCE`, as both forms of the gateway serve it. */
export interface ParentRequest<P extends KubeObject, Q extends Question = Question> {
  readonly of: ResourceType<P>;
  readonly subresource: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly schema: Schema;
  /** The status; undefined if the request is valid but a dry run returns no status. */
  respond(context: AuthorizedRequest<Q, P>): Promise<NonNullable<Q['status']> | undefined>;
}

export type ClusterRequest<Q extends Question = Question> = ParentRequest<Cluster, Q>;

/** A request whose fields are not validated yet. */
export interface UnvalidatedRequest<P extends KubeObject> {
  /** An object of the request's kind. */
  readonly body: KubeObject | undefined;
  readonly parent: P;
  readonly user: UserInfo;
  readonly dryRun: boolean;
}

/** Rejects with 422 for invalid fields. */
export async function respondTo<P extends KubeObject, Q extends Question>(
  request: ParentRequest<P, Q>,
  { body, ...context }: UnvalidatedRequest<P>,
): Promise<KubeObject> {
  const { name = '', namespace = '' } = context.parent.metadata;
  const { kind, schema } = request;
  const requestObject = body as Q;
  const definitions = new Map();
  applyDefaults(requestObject, schema, definitions);
  const errors = validateObject(requestObject, undefined, schema, definitions);
  if (errors.length > 0) throw invalid(kind, name, errors);
  const { spec } = requestObject;
  const status = await request.respond({ spec, ...context });
  if (status === undefined) return requestObject;
  const responseObject = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, namespace },
    spec,
    status,
  };
  return responseObject;
}

/** The subresource on the embedded server. */
export function parentSubresource<P extends KubeObject, Q extends Question>(
  request: ParentRequest<P, Q>,
): CustomSubresource {
  const { kind, schema } = request;
  return {
    kind,
    schema,
    create: ({ body, parent, user, dryRun }) => respondTo(request, { body, parent: parent as P, user, dryRun }),
  };
}

/** 409: the cluster's state does not allow this request. */
export function refusal(cluster: Cluster, subresource: string, reason: string): ApiError {
  const { name } = cluster.metadata;
  const resource = `${clusters.plural}/${subresource}`;
  return conflict({ group: clusters.group, resource, ...(name !== undefined && { name }) }, reason);
}
