import type {
  Affinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { qualifiedNameErrors } from '@fairway/kube/object/names';
import { duplicate, forbidden, invalidName, invalidValue, oneOf, required } from '../field-errors.ts';
import { labelSelectorErrors } from '../validation-common.ts';

const UNSATISFIABLE_ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];

/** Upstream's validateAffinity. */
export function affinityErrors(affinity: Affinity | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const node = affinity?.nodeAffinity;
  const requiredTerms = node?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (node?.requiredDuringSchedulingIgnoredDuringExecution) {
    const path = `${field}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
    errors.push(...nodeSelectorTermsErrors(requiredTerms ?? [], path));
  }
  for (const [index, term] of (node?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const path = `${field}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
    errors.push(...weightErrors(`${path}.weight`, term.weight));
    errors.push(...nodeSelectorTermErrors(term.preference, `${path}.preference`));
  }
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const pods = affinity?.[kind];
    for (const [index, term] of (pods?.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
      const path = `${field}.${kind}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`;
      errors.push(...podAffinityTermErrors(term, path));
    }
    for (const [index, term] of (pods?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
      const path = `${field}.${kind}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      errors.push(...weightErrors(`${path}.weight`, term.weight));
      errors.push(...podAffinityTermErrors(term.podAffinityTerm, `${path}.podAffinityTerm`));
    }
  }
  return errors;
}

/** Also applies to PersistentVolumes' node affinity. */
export function nodeSelectorTermsErrors(terms: readonly NodeSelectorTerm[], field: string): FieldError[] {
  if (terms.length === 0) return [required(field, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => nodeSelectorTermErrors(term, `${field}[${index}]`));
}

function nodeSelectorTermErrors(term: NodeSelectorTerm, path: string): FieldError[] {
  return (term.matchExpressions ?? []).flatMap((requirement, index) =>
    nodeRequirementErrors(requirement, `${path}.matchExpressions[${index}]`),
  );
}

function nodeRequirementErrors({ key, operator, values = [] }: NodeSelectorRequirement, path: string): FieldError[] {
  const errors = invalidName(`${path}.key`, key, qualifiedNameErrors(key));
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) {
        errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      }
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) {
        errors.push(required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      }
      break;
    default:
      errors.push(invalidValue(`${path}.operator`, operator, 'not a valid selector operator'));
  }
  return errors;
}

function podAffinityTermErrors(term: PodAffinityTerm, path: string): FieldError[] {
  return [
    ...labelSelectorErrors(`${path}.labelSelector`, term.labelSelector),
    ...(term.topologyKey ? [] : [required(`${path}.topologyKey`, 'can not be empty')]),
    ...invalidName(`${path}.topologyKey`, term.topologyKey ?? '', qualifiedNameErrors(term.topologyKey ?? '')),
  ];
}

function weightErrors(field: string, weight: number): FieldError[] {
  return weight >= 1 && weight <= 100 ? [] : [invalidValue(field, weight, 'must be in the range 1-100')];
}

export function topologySpreadErrors(constraints: readonly TopologySpreadConstraint[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, constraint] of constraints.entries()) {
    const path = `${field}[${index}]`;
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains } = constraint;
    if (!(maxSkew > 0)) errors.push(invalidValue(`${path}.maxSkew`, maxSkew, 'must be greater than zero'));
    if (!topologyKey) errors.push(required(`${path}.topologyKey`, 'can not be empty'));
    errors.push(...oneOf(`${path}.whenUnsatisfiable`, whenUnsatisfiable, UNSATISFIABLE_ACTIONS, true));
    if (minDomains !== undefined && minDomains <= 0) {
      errors.push(invalidValue(`${path}.minDomains`, minDomains, 'must be greater than zero'));
    }
    errors.push(...labelSelectorErrors(`${path}.labelSelector`, constraint.labelSelector));
    const pair = `{${topologyKey}, ${whenUnsatisfiable}}`;
    if (seen.has(pair)) errors.push(duplicate(`${path}.{topologyKey, whenUnsatisfiable}`, pair));
    seen.add(pair);
  }
  return errors;
}
