import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { applyDefaults } from '@fairway/apiserver/schema/defaults';
import type { Schema } from '@fairway/apiserver/schema/schema';
import { validateObject } from '@fairway/apiserver/schema/validate';
import type { CustomSubresource } from '@fairway/apiserver/server/resource';
import { type ApiError, conflict } from '@fairway/kube/object/api-error';
import { invalid } from '@fairway/kube/object/field-error';
import { apiVersionOf, type KubeObject } from '@fairway/kube/object/meta';

/** A kind that asks something about a cluster: `spec` is the question, `status` the answer. */
interface Question extends KubeObject {
  readonly spec: unknown;
  readonly status?: unknown;
}

/** An authorized question with valid fields. */
export interface Demand<Q extends Question> {
  readonly spec: Q['spec'];
  readonly cluster: Cluster;
  readonly user: UserInfo;
  readonly dryRun: boolean;
}

/** A POST to `clusters/NAME/SUBRESOURCE`, as both forms of the gateway answer it. */
export interface ClusterRequest<Q extends Question = Question> {
  readonly subresource: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly schema: Schema;
  /** The status; undefined: the question is valid, and in a dry run not answered. */
  answer(demand: Demand<Q>): Promise<NonNullable<Q['status']> | undefined>;
}

/** A request whose fields are not validated yet. */
export interface RawDemand {
  /** An object of the request's kind. */
  readonly body: KubeObject | undefined;
  readonly cluster: Cluster;
  readonly user: UserInfo;
  readonly dryRun: boolean;
}

/** Rejects with 422 for invalid fields. */
export async function answerTo<Q extends Question>(
  request: ClusterRequest<Q>,
  { body, ...demand }: RawDemand,
): Promise<KubeObject> {
  const { name = '', namespace = '' } = demand.cluster.metadata;
  const { kind, schema } = request;
  const question = body as Q;
  const definitions = new Map();
  applyDefaults(question, schema, definitions);
  const errors = validateObject(question, undefined, schema, definitions);
  if (errors.length > 0) throw invalid(kind, name, errors);
  const { spec } = question;
  const status = await request.answer({ spec, ...demand });
  if (status === undefined) return question;
  const answered = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name, namespace }, spec, status };
  return answered;
}

/** The subresource on the embedded server. */
export function clusterSubresource<Q extends Question>(request: ClusterRequest<Q>): CustomSubresource {
  const { kind, schema } = request;
  return {
    kind,
    schema,
    create: ({ body, parent, user, dryRun }) => answerTo(request, { body, cluster: parent as Cluster, user, dryRun }),
  };
}

/** 409: the cluster is not in a state in which this can be answered. */
export function refusal(cluster: Cluster, subresource: string, why: string): ApiError {
  const { name } = cluster.metadata;
  const resource = `${clusters.plural}/${subresource}`;
  return conflict({ group: clusters.group, resource, ...(name !== undefined && { name }) }, why);
}
