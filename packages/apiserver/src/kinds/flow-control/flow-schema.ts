import type {
  FlowcontrolV1Subject,
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
} from '@fairway/kube/kinds/generated/types';
import { FlowSchemas } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { dns1123LabelErrors, dns1123SubdomainErrors } from '@fairway/kube/object/names';
import { compareByPrecedence } from '../../flow-control/precedence.ts';
import { MANDATORY_OBJECTS } from '../../flow-control/standard-objects.ts';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { forbidden, invalidName, invalidValue, required, unsupported } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';
import { conditionErrors } from './conditions.ts';

const DEFAULT_PRECEDENCE = 1000;
const MAX_PRECEDENCE = 10_000;
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

/** The rules and messages of kube-apiserver (pkg/apis/flowcontrol/validation). */
function errorsOf({ metadata, spec }: FlowSchema): FieldError[] {
  const mandatory = MANDATORY_OBJECTS.flowSchemas.find((one) => one.metadata.name === metadata.name);
  const level = spec.priorityLevelConfiguration?.name ?? '';
  const method = spec.distinguisherMethod?.type;
  return [
    ...precedenceErrors(spec.matchingPrecedence ?? 0, metadata.name),
    ...(method === undefined || method === 'ByUser' || method === 'ByNamespace'
      ? []
      : [unsupported('spec.distinguisherMethod.type', { type: method }, ['ByNamespace', 'ByUser'])]),
    ...(level === ''
      ? [required('spec.priorityLevelConfiguration.name', 'must reference a priority level')]
      : invalidName('spec.priorityLevelConfiguration.name', level, dns1123SubdomainErrors(level))),
    ...(spec.rules ?? []).flatMap((rule, index) => ruleErrors(rule, `spec.rules[${index}]`)),
    ...(mandatory === undefined || jsonEqual(mandatory.spec, spec)
      ? []
      : [invalidValue('spec', spec, `spec of '${metadata.name}' must equal the fixed value`)]),
  ];
}

function precedenceErrors(precedence: number, name: string | undefined): FieldError[] {
  const field = 'spec.matchingPrecedence';
  if (precedence <= 0) return [invalidValue(field, precedence, 'must be a positive value')];
  if (precedence > MAX_PRECEDENCE) {
    return [invalidValue(field, precedence, `must not be greater than ${MAX_PRECEDENCE}`)];
  }
  if (precedence > 1 || name === 'exempt') return [];
  return [invalidValue(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")];
}

function ruleErrors(rule: PolicyRulesWithSubjects, path: string): FieldError[] {
  const { subjects, resourceRules = [], nonResourceRules = [] } = rule;
  const isEmpty = resourceRules.length + nonResourceRules.length === 0;
  return [
    ...(subjects?.length ? [] : [required(`${path}.subjects`, 'subjects must contain at least one value')]),
    ...(subjects ?? []).flatMap((subject, index) => subjectErrors(subject, `${path}.subjects[${index}]`)),
    ...(isEmpty ? [required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty')] : []),
    ...resourceRules.flatMap((one, index) => resourceErrors(one, `${path}.resourceRules[${index}]`)),
    ...nonResourceRules.flatMap((one, index) => nonResourceErrors(one, `${path}.nonResourceRules[${index}]`)),
  ];
}

const SUBJECT_KINDS = ['Group', 'ServiceAccount', 'User'];
const SUBJECT_FIELDS = [
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
] as const;

function subjectErrors(subject: FlowcontrolV1Subject, path: string): FieldError[] {
  const { kind } = subject;
  if (!SUBJECT_KINDS.includes(kind)) return [unsupported(`${path}.kind`, kind, SUBJECT_KINDS)];
  return SUBJECT_FIELDS.flatMap(([name, field]) => {
    const at = `${path}.${field}`;
    if (name === kind) {
      if (subject[field] === undefined) return [required(at, `${field} is required when subject kind is '${kind}'`)];
      return name === 'ServiceAccount' ? accountErrors(subject, at) : nameErrors(subject[field]?.name, at);
    }
    if (subject[field] === undefined) return [];
    return [forbidden(at, `${field} is forbidden when subject kind is not '${name}'`)];
  });
}

function nameErrors(name: string | undefined, path: string): FieldError[] {
  return name ? [] : [required(`${path}.name`)];
}

function accountErrors({ serviceAccount }: FlowcontrolV1Subject, path: string): FieldError[] {
  const { name = '', namespace = '' } = serviceAccount ?? {};
  return [
    ...nameErrors(name, path),
    ...(name === '' || name === '*' ? [] : invalidName(`${path}.name`, name, dns1123SubdomainErrors(name))),
    ...(namespace === ''
      ? [required(`${path}.namespace`, 'must specify namespace for service account')]
      : invalidName(`${path}.namespace`, namespace, dns1123LabelErrors(namespace))),
  ];
}

function verbErrors(verbs: readonly string[], path: string): FieldError[] {
  const field = `${path}.verbs`;
  if (verbs.length === 0) return [required(field, 'verbs must contain at least one value')];
  if (verbs.includes('*')) return exclusiveValueErrors(verbs, field, 'verbs');
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [unsupported(field, verbs, VERBS)];
}

/** `*` means all, so it must be the only entry. */
function exclusiveValueErrors(values: readonly string[], field: string, itemName: string): FieldError[] {
  if (values.length <= 1 || !values.includes('*')) return [];
  return [invalidValue(field, values, `if '*' is present, must not specify other ${itemName}`)];
}

function resourceErrors(rule: Partial<ResourcePolicyRule>, path: string): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], namespaces = [], clusterScope } = rule;
  return [
    ...verbErrors(verbs, path),
    ...(apiGroups.length > 0
      ? exclusiveValueErrors(apiGroups, `${path}.apiGroups`, 'api groups')
      : [required(`${path}.apiGroups`, 'resource rules must supply at least one api group')]),
    ...(resources.length > 0
      ? exclusiveValueErrors(resources, `${path}.resources`, 'resources')
      : [required(`${path}.resources`, 'resource rules must supply at least one resource')]),
    ...namespaceErrors(namespaces, clusterScope ?? false, `${path}.namespaces`),
  ];
}

function namespaceErrors(namespaces: readonly string[], clusterScope: boolean, field: string): FieldError[] {
  if (namespaces.length === 0 && !clusterScope) {
    return [required(field, 'resource rules that are not cluster scoped must supply at least one namespace')];
  }
  if (namespaces.includes('*')) return exclusiveValueErrors(namespaces, field, 'namespaces');
  return namespaces.flatMap((namespace, index) =>
    invalidName(
      `${field}[${index}]`,
      namespace,
      dns1123LabelErrors(namespace).map(
        (error) => `each member of this list must be '*' or a DNS-1123 label; ${error}`,
      ),
    ),
  );
}

function nonResourceErrors(
  { verbs = [], nonResourceURLs = [] }: Partial<NonResourcePolicyRule>,
  path: string,
): FieldError[] {
  const field = `${path}.nonResourceURLs`;
  const errors = verbErrors(verbs, path);
  if (nonResourceURLs.length === 0) {
    return [...errors, required(field, 'nonResourceURLs must contain at least one value')];
  }
  if (nonResourceURLs.includes('*'))
    return [...errors, ...exclusiveValueErrors(nonResourceURLs, field, 'non-resource URLs')];
  for (const [index, url] of nonResourceURLs.entries()) {
    const problem = pathProblem(url);
    if (problem !== undefined) errors.push(invalidValue(`${field}[${index}]`, url, problem));
  }
  return errors;
}

function pathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const stars = path.split('*').length - 1;
  return stars > 1 || (stars === 1 && !path.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

function missingLevel({ status }: FlowSchema): string {
  return status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?';
}

/** Which requests belong to which priority level; implemented by packages/apiserver/src/flow-control. */
export const FlowSchemaKind = defineKind(FlowSchemas, {
  definition: 'io.k8s.api.flowcontrol.v1.FlowSchema',
  hasStatus: true,
  strategy: {
    statusWritesMetadata: false,
    default({ spec }) {
      // Not a pointer upstream.
      setDefaults(spec, { priorityLevelConfiguration: { name: '' } });
      if (!spec.matchingPrecedence) spec.matchingPrecedence = DEFAULT_PRECEDENCE;
    },
    prepareForCreate(schema) {
      schema.status = {};
    },
    validate: (schema) => errorsOf(schema),
    validateStatus: ({ status }) => conditionErrors(status?.conditions),
  },
  rowOrder: (a, b) => compareByPrecedence(a as FlowSchema, b as FlowSchema),
  columns: [
    text('PriorityLevel', ({ spec }) => spec.priorityLevelConfiguration?.name ?? ''),
    text('MatchingPrecedence', ({ spec }) => spec.matchingPrecedence ?? 0),
    text('DistinguisherMethod', ({ spec }) => spec.distinguisherMethod?.type ?? '<none>'),
    AGE,
    text('MissingPL', missingLevel),
  ],
});
