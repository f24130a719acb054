import type { StorageLimits } from '@fairway/api/domain/plan-storage';
import { enforceLimits, type InClusterLimits } from '@fairway/api/limits/in-cluster';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@fairway/kube/kinds/generated/types';
import { ValidatingAdmissionPolicies, ValidatingAdmissionPolicyBindings } from '@fairway/kube/kinds/resources';
import type { Addon, AddonObject, ObjectIdentity } from '../addon.ts';
import { featureRules } from './feature-rules.ts';
import type { LimitRule, RuleTarget } from './limit-rule.ts';
import { serviceRules } from './service-rules.ts';
import { storageRules } from './storage-rules.ts';

const REFUSALS_NAME = 'limits.fairway.dev';
const WARNINGS_NAME = 'limit-warnings.fairway.dev';
/** The policy of earlier releases. */
const STORAGE_NAME = 'storage.fairway.dev';

/** All objects of the add-on in any release. */
export const LIMIT_OBJECTS: readonly ObjectIdentity[] = [REFUSALS_NAME, WARNINGS_NAME, STORAGE_NAME].flatMap((name) => [
  { type: ValidatingAdmissionPolicies, name },
  { type: ValidatingAdmissionPolicyBindings, name },
]);

type Rule = NonNullable<NonNullable<ValidatingAdmissionPolicy['spec']['matchConstraints']>['resourceRules']>[number];
type Validation = NonNullable<ValidatingAdmissionPolicy['spec']['validations']>[number];

export interface LimitPolicyInputs {
  readonly limits: InClusterLimits;
  readonly storage: StorageLimits;
  /** The day, in UTC: `2026-11-30`. Notes begin and end with days. */
  readonly today: string;
}

/**
 * Policies with which the cluster's API server refuses what its plan does not allow, or warns about it. Fairway's
 * controllers have the same rules, because tenants can delete policies. Undefined if the plan allows everything, or if
 * the API server reads the policies from a file.
 */
export function planLimits(inputs: LimitPolicyInputs & { readonly hasPolicyFile: boolean }): Addon | undefined {
  const objects = inputs.hasPolicyFile ? [] : limitPolicies(inputs);
  const [first] = objects;
  if (first === undefined) return undefined;
  return { name: 'plan-limits', version: '1', objects, workload: { type: first.type, name: first.name }, claims: [] };
}

/** Pure. */
export function limitPolicies({ limits, storage, today }: LimitPolicyInputs): readonly AddonObject[] {
  const nowMs = Date.parse(`${today}T00:00:00Z`);
  const rules = [...storageRules(storage), ...serviceRules(limits), ...featureRules(limits)];
  const enforced = rules.map((rule) => ({ rule, ...enforceLimits([rule.excess], limits, nowMs) }));
  const refused = enforced.flatMap(({ rule, refusals }) => refusals.map((message) => ({ rule, message })));
  const warned = enforced.flatMap(({ rule, warnings }) => warnings.map((message) => ({ rule, message })));
  return [...policyWithBinding(REFUSALS_NAME, 'Deny', refused), ...policyWithBinding(WARNINGS_NAME, 'Warn', warned)];
}

interface EnforcedRule {
  readonly rule: LimitRule;
  readonly message: string;
}

function policyWithBinding(name: string, action: 'Deny' | 'Warn', rules: readonly EnforcedRule[]): AddonObject[] {
  if (rules.length === 0) return [];
  const policy: ValidatingAdmissionPolicy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: ValidatingAdmissionPolicies.kind,
    metadata: { name },
    spec: {
      // A rule that cannot be evaluated must not block requests: Fairway's controllers have the same rules.
      failurePolicy: 'Ignore',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: resourceRules(rules.map(({ rule }) => rule.target)),
      },
      validations: rules.map(validation),
    },
  };
  const binding: ValidatingAdmissionPolicyBinding = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: ValidatingAdmissionPolicyBindings.kind,
    metadata: { name },
    spec: { policyName: name, validationActions: [action] },
  };
  // With other values of the exact fields, the policy would apply to fewer objects.
  return [
    {
      type: ValidatingAdmissionPolicies,
      name,
      object: policy,
      exactFields: ['matchConstraints', 'matchConditions', 'paramKind'],
    },
    { type: ValidatingAdmissionPolicyBindings, name, object: binding, exactFields: ['matchResources', 'paramRef'] },
  ];
}

function resourceRules(targets: readonly RuleTarget[]): Rule[] {
  const byKey = new Map(targets.map((target) => [JSON.stringify(target), target]));
  return [...byKey.values()].map(({ group, version, plural, operations }) => ({
    apiGroups: [group],
    apiVersions: [version],
    operations: [...operations],
    resources: [plural],
    scope: '*',
  }));
}

/** Messages of policies must not contain line breaks. */
function validation({ rule: { target, violation }, message }: EnforcedRule): Validation {
  const { operations, plural } = target;
  // Another rule for the same kind may also match updates.
  const isOther = operations.includes('UPDATE')
    ? `request.resource.resource != '${plural}'`
    : `request.resource.resource != '${plural}' || request.operation != 'CREATE'`;
  return {
    expression: `${isOther} || !(${violation})`,
    message: message.replace(/\s+/g, ' '),
    reason: 'Invalid',
  };
}
