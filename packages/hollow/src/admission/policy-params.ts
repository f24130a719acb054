import type { AdmissionRequest, WriteInProgress } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { ParamKind, ParamRef } from '@fairway/kube/kinds/generated/types';
import type { KubeObject } from '@fairway/kube/object/meta';
import { compileLabelSelector, matchesLabels } from '@fairway/kube/object/selector';

/** Thrown if the parameters of a policy or its binding are unavailable. */
export class ParamError extends Error {}

/**
 * The parameters for evaluating a policy for a request: each object in turn, or a single undefined if the policy has
 * no parameters. Empty if no object is found and that is allowed. Throws a ParamError with kube-apiserver's messages.
 */
export function paramsOf(
  paramKind: ParamKind | undefined,
  paramRef: ParamRef | undefined,
  { namespace: requestNamespace }: AdmissionRequest,
  write: WriteInProgress,
  reader: Pick<ObjectReader, 'get' | 'list'>,
): readonly (KubeObject | undefined)[] {
  if (paramKind === undefined || paramRef === undefined) return [undefined];
  const { apiVersion = '', kind = '' } = paramKind;
  const type = write.kindOf(apiVersion, kind);
  if (type === undefined) {
    throw new ParamError(`failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`);
  }
  const { name, namespace: paramNamespace, selector, parameterNotFoundAction } = paramRef;
  if (!type.namespaced && paramNamespace) {
    throw new ParamError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const namespace = type.namespaced ? paramNamespace || requestNamespace : '';
  if (type.namespaced && namespace === '') {
    throw new ParamError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  }
  let found: readonly KubeObject[];
  if (name) {
    const one = reader.get(type, namespace, name);
    found = one === undefined ? [] : [one];
  } else {
    const matcher = compileLabelSelector(selector);
    const all = reader.list(type, type.namespaced ? namespace : undefined);
    found = all.filter(({ metadata }) => matchesLabels(matcher, metadata.labels ?? {}));
  }
  if (found.length > 0 || parameterNotFoundAction === 'Allow') return found;
  throw new ParamError('no params found for policy binding with `Deny` parameterNotFoundAction');
}
