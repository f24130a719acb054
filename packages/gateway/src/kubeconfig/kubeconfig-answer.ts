import { clusters } from '@fairway/api/kinds/cluster';
import { KUBECONFIG_REQUEST_KIND, KUBECONFIG_SUBRESOURCE } from '@fairway/api/kinds/kubeconfig-request';
import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import { authorize } from '@fairway/apiserver/server/authorize';
import { decodeBody } from '@fairway/apiserver/server/decode';
import { type Answer, type ApiRequest, jsonAnswer } from '@fairway/apiserver/server/request';
import { warningHeader } from '@fairway/apiserver/server/warning-header';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { methodNotAllowed } from '@fairway/kube/object/api-error';
import type { KubeconfigIssuer } from './kubeconfig-issuer.ts';

export interface KubeconfigAnswerOptions {
  /** With Fairway's credentials: the caller need not be allowed to read the cluster. */
  readonly client: KubeClient;
  readonly authorizer: Authorizer;
  readonly issue: KubeconfigIssuer;
}

/** A request to `clusters/NAME/kubeconfig` that no API server has validated yet. */
export interface KubeconfigTarget {
  readonly namespace: string;
  readonly name: string;
  readonly verb: string;
}

/** Answers `clusters/kubeconfig` in front of a management cluster, as the embedded server would: authorization first, then validation. */
export async function kubeconfigAnswer(
  { client, authorizer, issue }: KubeconfigAnswerOptions,
  { namespace, name, verb }: KubeconfigTarget,
  request: ApiRequest,
  user: UserInfo,
): Promise<Answer> {
  const { group, version, plural: resource } = clusters;
  const attributes = { verb, group, version, resource, subresource: KUBECONFIG_SUBRESOURCE, namespace, name };
  await authorize(authorizer, { user, ...attributes });
  if (verb !== 'create') {
    throw methodNotAllowed({ group, resource: `${resource}/${KUBECONFIG_SUBRESOURCE}`, name }, verb);
  }
  const cluster = await client.resource(clusters).get(name, { namespace });
  const warnings: string[] = [];
  const { query } = request;
  const content = await request.readContent(user);
  const body = decodeBody(
    {
      ...content,
      query,
      namespace,
      name,
      verb,
      resource: KUBECONFIG_REQUEST_KIND,
      warn: (text) => warnings.push(text),
    },
    KUBECONFIG_REQUEST_KIND,
  );
  const dryRun = request.query.get('dryRun') === 'All';
  const answer = jsonAnswer(201, await issue({ body, cluster, user, dryRun }));
  if (warnings.length === 0) return answer;
  return { ...answer, headers: { ...answer.headers, warning: warningHeader(warnings) } };
}
