import type { MutatingWebhook, RuleWithOperations, ValidatingWebhook } from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { dns1035LabelErrors, dns1123SubdomainErrors } from '@fairway/kube/object/names';
import { duplicate, duplicates, invalidValue, oneOf, required } from '../field-errors.ts';
import { labelSelectorErrors } from '../validation-common.ts';
import { clientConfigErrors } from './client-config.ts';
import { matchConditionErrors } from './match-conditions.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
/** kube-apiserver also supports v1beta1, which has not been needed since 1.16. */
const REVIEW_VERSION = 'v1';

/** Errors in webhooks, with the messages of k8s.io/kubernetes/pkg/apis/admissionregistration/validation. */
export function webhooksErrors(webhooks: readonly (MutatingWebhook | ValidatingWebhook)[] | undefined): FieldError[] {
  const list = webhooks ?? [];
  return [
    ...list.flatMap((webhook, index) => webhookErrors(`webhooks[${index}]`, webhook)),
    ...duplicates(
      list.map(({ name }) => name),
      (index) => `webhooks[${index}].name`,
    ),
  ];
}

function webhookErrors(path: string, webhook: MutatingWebhook | ValidatingWebhook): FieldError[] {
  const { name, rules = [], failurePolicy, matchPolicy, sideEffects, timeoutSeconds = 10 } = webhook;
  const { reinvocationPolicy } = webhook as Partial<MutatingWebhook>;
  const isValidTimeout = timeoutSeconds >= 1 && timeoutSeconds <= 30;
  return [
    ...qualifiedNameErrors(`${path}.name`, name),
    ...rules.flatMap((rule, index) => ruleErrors(`${path}.rules[${index}]`, rule)),
    ...oneOf(`${path}.failurePolicy`, failurePolicy, ['Fail', 'Ignore']),
    ...oneOf(`${path}.matchPolicy`, matchPolicy, ['Equivalent', 'Exact']),
    ...(sideEffects
      ? oneOf(`${path}.sideEffects`, sideEffects, SIDE_EFFECTS)
      : [required(`${path}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(', ')}`)]),
    ...oneOf(`${path}.reinvocationPolicy`, reinvocationPolicy, ['IfNeeded', 'Never']),
    ...(isValidTimeout
      ? []
      : [invalidValue(`${path}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')]),
    ...labelSelectorErrors(`${path}.namespaceSelector`, webhook.namespaceSelector),
    ...labelSelectorErrors(`${path}.objectSelector`, webhook.objectSelector),
    ...clientConfigErrors(`${path}.clientConfig`, webhook.clientConfig),
    ...reviewVersionErrors(`${path}.admissionReviewVersions`, webhook.admissionReviewVersions),
    ...matchConditionErrors(`${path}.matchConditions`, webhook.matchConditions),
  ];
}

function qualifiedNameErrors(path: string, name: string | undefined): FieldError[] {
  if (!name) return [required(path)];
  const wrong = dns1123SubdomainErrors(name);
  if (wrong.length > 0) return [invalidValue(path, name, wrong.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalidValue(path, name, 'should be a domain with at least three segments separated by dots')];
}

/** Errors in a list of review versions; this server supports only one version. */
export function reviewVersionErrors(
  path: string,
  versions: readonly string[] | undefined,
  detail = `must specify one of ${REVIEW_VERSION}`,
): FieldError[] {
  if (!versions?.length) return [required(path, detail)];
  const errors = versions.flatMap((version, index) => {
    const at = `${path}[${index}]`;
    if (versions.indexOf(version) !== index) return [invalidValue(at, version, 'duplicate version')];
    return dns1035LabelErrors(version).map((wrong) => invalidValue(at, version, wrong));
  });
  if (versions.includes(REVIEW_VERSION)) return errors;
  return [...errors, invalidValue(path, [...versions], `must include at least one of ${REVIEW_VERSION}`)];
}

/** Errors in the rules of a webhook or policy. */
export function ruleErrors(path: string, rule: RuleWithOperations): FieldError[] {
  return [
    ...listErrors(`${path}.apiGroups`, rule.apiGroups, 'if specifying "*", must not specify other API groups'),
    ...listErrors(`${path}.apiVersions`, rule.apiVersions, 'if specifying "*", must not specify other API versions'),
    ...resourcesErrors(`${path}.resources`, rule.resources),
    ...listErrors(`${path}.operations`, rule.operations, 'if specifying "*", must not specify other operations'),
    ...(rule.operations ?? []).flatMap((each, index) => oneOf(`${path}.operations[${index}]`, each, OPERATIONS)),
    ...oneOf(`${path}.scope`, rule.scope, ['*', 'Cluster', 'Namespaced']),
  ];
}

function listErrors(path: string, list: readonly string[] | undefined, exclusiveValue: string): FieldError[] {
  if (!list?.length) return [required(path)];
  return list.includes('*') && list.length > 1 ? [invalidValue(path, [...list], exclusiveValue)] : [];
}

/** A wildcard must not make other entries in its list redundant. */
function resourcesErrors(path: string, resources: readonly string[] | undefined): FieldError[] {
  if (!resources?.length) return [required(path)];
  return resources.flatMap((resource, index) => {
    const at = `${path}[${index}]`;
    const [plural, sub] = resource.split('/');
    if (resource === '') return [required(at)];
    if (resources.indexOf(resource) !== index) return [duplicate(at, resource)];
    const rest = resources.filter((other) => other !== resource);
    if (resource === '*/*' && rest.length > 0) {
      return [invalidValue(path, [...resources], "if '*/*' is present, must not specify other resources")];
    }
    if (resource === '*' && rest.some((other) => !other.includes('/'))) {
      const detail = "if '*' is present, must not specify other resources without subresources";
      return [invalidValue(path, [...resources], detail)];
    }
    if (sub === '*' && plural !== '*' && rest.some((other) => other.startsWith(`${plural}/`))) {
      return [invalidValue(at, resource, `if '${resource}' is present, must not specify ${plural}/x`)];
    }
    return [];
  });
}
