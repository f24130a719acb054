import { requestsDryRun } from '@fairway/apiserver/audit/audit-event';
import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import { authorize } from '@fairway/apiserver/server/authorize';
import { decodeBody } from '@fairway/apiserver/server/decode';
import { type ApiRequest, type ApiResponse, jsonResponse } from '@fairway/apiserver/server/request';
import { warningHeader } from '@fairway/apiserver/server/warning-header';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { methodNotAllowed } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { type ParentRequest, respondTo } from './parent-request.ts';

export interface GatewayRequestOptions<P extends KubeObject> {
  /** Acts with Fairway's credentials: the caller need not be allowed to read the parent. */
  readonly client: KubeClient;
  readonly authorizer: Authorizer;
  readonly parentRequest: ParentRequest<P>;
}

/** A request to a subresource that no API server has validated yet. */
export interface RequestTarget {
  readonly namespace: string;
  readonly name: string;
  readonly verb: string;
}

/**
 * Serves `clusters/kubeconfig` and other subresources in front of a management cluster, as the embedded server would:
 * authorization first, then validation.
 */
export async function handleParentRequest<P extends KubeObject>(
  { client, authorizer, parentRequest }: GatewayRequestOptions<P>,
  { namespace, name, verb }: RequestTarget,
  request: ApiRequest,
  user: UserInfo,
): Promise<ApiResponse> {
  const { of, subresource, kind } = parentRequest;
  const { group, version, plural: resource } = of;
  await authorize(authorizer, { user, verb, group, version, resource, subresource, namespace, name });
  if (verb !== 'create') throw methodNotAllowed({ group, resource: `${resource}/${subresource}`, name }, verb);
  const parent = await client.resource(of).get(name, { namespace });
  const warnings: string[] = [];
  const { query } = request;
  const content = await request.readContent(user);
  const warn = (text: string) => warnings.push(text);
  const body = decodeBody({ ...content, query, namespace, name, verb, resource: kind, warn }, kind);
  const dryRun = requestsDryRun(request.query);
  const rawResponse = jsonResponse(201, await respondTo(parentRequest, { body, parent, user, dryRun }));
  if (warnings.length === 0) return rawResponse;
  return { ...rawResponse, headers: { ...rawResponse.headers, warning: warningHeader(warnings) } };
}
