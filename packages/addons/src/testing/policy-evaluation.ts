import { CelAllowance, CelBudget } from '@fairway/apiserver/schema/cel-budget';
import { celValue, compileExpression } from '@fairway/apiserver/schema/cel-expression';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@fairway/kube/kinds/generated/types';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { AddonObject } from '../addon.ts';

/** A write to a cluster's API. */
export interface Write {
  readonly type: Pick<ResourceType, 'group' | 'version' | 'plural'>;
  readonly object: KubeObject;
  /** The stored object, for updates. */
  readonly old?: KubeObject | undefined;
  /** The user; a tenant by default. */
  readonly username?: string;
}

/** The messages of the policies' rules that the write violates: refusals begin with `Deny`, warnings with `Warn`. */
export function violationsOf(objects: readonly AddonObject[], write: Write): readonly string[] {
  const policies = objects.flatMap(({ type, object }) =>
    type.kind === 'ValidatingAdmissionPolicy' ? [object as ValidatingAdmissionPolicy] : [],
  );
  const bindings = objects.flatMap(({ type, object }) =>
    type.kind === 'ValidatingAdmissionPolicyBinding' ? [object as ValidatingAdmissionPolicyBinding] : [],
  );
  return policies.flatMap((policy) => {
    if (!isMatch(policy, write)) return [];
    const actions = bindings
      .filter(({ spec }) => spec.policyName === policy.metadata.name)
      .flatMap(({ spec }) => spec.validationActions);
    return (policy.spec.validations ?? []).flatMap(({ expression, message }) =>
      isMet(expression, write) ? [] : [`${actions.join()} ${message}`],
    );
  });
}

function isMatch({ spec }: ValidatingAdmissionPolicy, { type, old }: Write): boolean {
  const operation = old === undefined ? 'CREATE' : 'UPDATE';
  return (spec.matchConstraints?.resourceRules ?? []).some(
    ({ apiGroups = [], apiVersions = [], resources = [], operations = [] }) =>
      apiGroups.includes(type.group) &&
      apiVersions.some((version) => version === '*' || version === type.version) &&
      resources.includes(type.plural) &&
      operations.includes(operation),
  );
}

/** Throws for an expression that cannot be evaluated. */
function isMet(text: string, { type: { group, version, plural }, object, old, username = 'tenant' }: Write): boolean {
  const expression = compileExpression(text, ['object', 'oldObject', 'request']);
  if (expression.error !== undefined) throw new Error(`${expression.error}: ${text}`);
  const budget = new CelBudget(new CelAllowance());
  const request = {
    operation: old === undefined ? 'CREATE' : 'UPDATE',
    resource: { group, version, resource: plural },
    userInfo: { username },
  };
  const variables = {
    object: celValue(object, budget),
    oldObject: celValue(old ?? null, budget),
    request: celValue(request, budget),
  };
  return expression.run(variables, budget) === true;
}
