import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { ClusterRole, PolicyRule, Subject } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ClusterRoles, RoleBindings, Roles } from '@fairway/kube/kinds/resources';
import { jsonEqual } from '@fairway/kube/object/json';
import type { ResourceType } from '@fairway/kube/object/meta';
import { aggregatedRules } from '../cluster-role-aggregation.ts';
import { uncoveredRules } from '../rbac-rules.ts';
import { AUTOUPDATE, bootstrapPolicy, type RbacObject } from './bootstrap-policy.ts';

/** A write that is needed so that the stored policy includes the bootstrap policy. */
export type PolicyStep =
  | { readonly action: 'create' | 'update'; readonly type: ResourceType; readonly object: RbacObject }
  /** A binding whose roleRef differs. Since roleRef is immutable, `object` must be deleted and then created. */
  | { readonly action: 'recreate'; readonly type: ResourceType; readonly object: RbacObject };

const TYPES: Readonly<Record<string, ResourceType<RbacObject>>> = {
  ClusterRole: ClusterRoles,
  ClusterRoleBinding: ClusterRoleBindings,
  Role: Roles,
  RoleBinding: RoleBindings,
};

/**
 * The writes that a server makes on startup. They only add: missing objects are created, missing rules, subjects and labels are
 * added, an administrator's additions are kept, and objects annotated `autoupdate: "false"` are skipped.
 */
export function bootstrapPolicySteps(reader: ObjectReader): PolicyStep[] {
  const expected = bootstrapPolicy();
  fillAggregatedRoles(reader, expected);
  return expected.flatMap((object) => {
    const type = TYPES[object.kind ?? ''] as ResourceType<RbacObject>;
    const step = stepFor(reader.get(type, object.metadata.namespace ?? '', object.metadata.name ?? ''), object);
    return step === undefined ? [] : [{ ...step, type }];
  });
}

/** Completes admin, edit and view immediately, before the aggregation controller has run. */
function fillAggregatedRoles(reader: ObjectReader, expected: readonly RbacObject[]): void {
  const shippedRoles = expected.filter((object): object is ClusterRole => object.kind === 'ClusterRole');
  const names = new Set(shippedRoles.map((role) => role.metadata.name));
  const others = reader.list(ClusterRoles).filter((role) => !names.has(role.metadata.name));
  // From view up to admin, because each role aggregates the previous one.
  for (const name of ['view', 'edit', 'admin']) {
    const role = shippedRoles.find((candidate) => candidate.metadata.name === name);
    if (role !== undefined) role.rules = aggregatedRules(role, [...shippedRoles, ...others]) ?? [];
  }
}

type Step = Pick<PolicyStep, 'action' | 'object'>;

function stepFor(stored: RbacObject | undefined, expected: RbacObject): Step | undefined {
  if (stored === undefined) return { action: 'create', object: expected };
  if (stored.metadata.annotations?.[AUTOUPDATE] === 'false') return undefined;
  if ('roleRef' in stored && 'roleRef' in expected) {
    if (!jsonEqual(stored.roleRef, expected.roleRef)) return { action: 'recreate', object: expected };
    const subjects = [...(stored.subjects ?? []), ...missingSubjects(stored.subjects ?? [], expected.subjects ?? [])];
    const isUnbound = subjects.length === 0;
    return changed(stored, { ...stored, ...(!isUnbound && { subjects }), metadata: mergedMetadata(stored, expected) });
  }
  const rules = rulesOf(stored);
  // An aggregated role's rules are maintained by the aggregation controller.
  const isAggregated = 'aggregationRule' in expected;
  const missing = isAggregated ? [] : uncoveredRules(rules, rulesOf(expected));
  const { aggregationRule: _, ...plain } = stored as ClusterRole;
  return changed(stored, {
    ...plain,
    ...(isAggregated && { aggregationRule: mergedAggregation(stored, expected) }),
    rules: [...rules, ...missing],
    metadata: mergedMetadata(stored, expected),
  });
}

function changed(stored: RbacObject, object: RbacObject): Step | undefined {
  return jsonEqual(stored, object) ? undefined : { action: 'update', object };
}

function rulesOf(object: RbacObject): PolicyRule[] {
  return 'rules' in object ? (object.rules ?? []) : [];
}

function missingSubjects(stored: readonly Subject[], expected: readonly Subject[]): Subject[] {
  return expected.filter((subject) => !stored.some((other) => jsonEqual(subject, other)));
}

/** An administrator's values take precedence over the bootstrap policy. */
function mergedMetadata(stored: RbacObject, expected: RbacObject): RbacObject['metadata'] {
  return {
    ...stored.metadata,
    labels: { ...expected.metadata.labels, ...stored.metadata.labels },
    annotations: { ...expected.metadata.annotations, ...stored.metadata.annotations },
  };
}

function mergedAggregation(stored: ClusterRole, expected: ClusterRole): ClusterRole['aggregationRule'] {
  const selectors = stored.aggregationRule?.clusterRoleSelectors ?? [];
  const expectedSelectors = expected.aggregationRule?.clusterRoleSelectors ?? [];
  const missing = expectedSelectors.filter((selector) => !selectors.some((other) => jsonEqual(selector, other)));
  return { ...stored.aggregationRule, clusterRoleSelectors: [...selectors, ...missing] };
}
