import type { AdmissionRequest } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { MatchResources, NamedRuleWithOperations } from '@fairway/kube/kinds/generated/types';
import { Namespaces } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { compileLabelSelector, type LabelSelector, matchesLabels } from '@fairway/kube/object/selector';

/** Whether a policy or its binding matches a request, as in kube-apiserver. */
export function matchesRequest(
  match: MatchResources | undefined,
  request: AdmissionRequest,
  reader: Pick<ObjectReader, 'get'>,
): boolean {
  if (match === undefined) return true;
  const { resourceRules, excludeResourceRules = [], namespaceSelector, objectSelector } = match;
  if (resourceRules !== undefined && !resourceRules.some((rule) => matchesRule(rule, request))) return false;
  if (excludeResourceRules.some((rule) => matchesRule(rule, request))) return false;
  const namespace = namespaceOf(request, reader);
  if (namespace !== undefined && !matchesSelector(namespaceSelector, namespace)) return false;
  return [request.object, request.oldObject].some(
    (object) => object !== undefined && matchesSelector(objectSelector, object),
  );
}

/** The namespace of a request; undefined for cluster-scoped objects. */
export function namespaceOf(
  { namespace, resource, object, oldObject }: AdmissionRequest,
  reader: Pick<ObjectReader, 'get'>,
): KubeObject | undefined {
  if (resource.group === '' && resource.plural === Namespaces.plural) return object ?? oldObject;
  return namespace === '' ? undefined : reader.get(Namespaces, '', namespace);
}

/** The properties that rules match. */
type MatchableRequest = Pick<AdmissionRequest, 'subresource' | 'operation' | 'namespace' | 'name'> & {
  readonly resource: Pick<AdmissionRequest['resource'], 'group' | 'version' | 'plural'>;
};

export function matchesRule(rule: NamedRuleWithOperations, request: MatchableRequest): boolean {
  const { resource, subresource, operation, namespace, name } = request;
  const has = (values: readonly string[] | undefined, value: string) =>
    values?.some((each) => each === '*' || each === value) === true;
  const path = subresource === '' ? resource.plural : `${resource.plural}/${subresource}`;
  const isResource = rule.resources?.some((each) => {
    const [plural, sub] = each.split('/');
    if (each === '*/*') return true;
    if (sub === undefined) return subresource === '' && (plural === '*' || plural === path);
    return (plural === '*' || plural === resource.plural) && (sub === '*' || sub === subresource);
  });
  const { scope = '*', resourceNames = [] } = rule;
  return (
    has(rule.operations, operation) &&
    has(rule.apiGroups, resource.group) &&
    has(rule.apiVersions, resource.version) &&
    isResource === true &&
    (scope === '*' || (scope === 'Namespaced') === (namespace !== '')) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

function matchesSelector(selector: LabelSelector | undefined, { metadata }: KubeObject): boolean {
  return selector === undefined || matchesLabels(compileLabelSelector(selector), metadata.labels ?? {});
}
