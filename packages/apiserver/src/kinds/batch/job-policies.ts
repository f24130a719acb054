import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { qualifiedNameErrors } from '@fairway/kube/object/names';
import { invalidName, invalidValue, nonNegative, oneOf, required, unsupported } from '../field-errors.ts';

const MAX_RULES = 20;
const MAX_PATTERNS = 20;
const MAX_EXIT_CODES = 255;
const MAX_INDEXES_LENGTH = 64 * 1024;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

/** Upstream's rules for podFailurePolicy and podReplacementPolicy, at `field` of a Job's spec. */
export function failurePolicyErrors(spec: JobSpec, field: string): FieldError[] {
  const policies = spec.podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  const errors = oneOf(`${field}.podReplacementPolicy`, spec.podReplacementPolicy, policies);
  const rules = spec.podFailurePolicy?.rules ?? [];
  errors.push(...atMost(`${field}.podFailurePolicy.rules`, rules.length, MAX_RULES));
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {};
  const names = new Set([...containers, ...initContainers].map(({ name }) => name));
  for (const [index, rule] of rules.slice(0, MAX_RULES).entries()) {
    errors.push(...ruleErrors(spec, rule, `${field}.podFailurePolicy.rules[${index}]`, names));
  }
  return errors;
}

function ruleErrors(
  { backoffLimitPerIndex }: JobSpec,
  { action, onExitCodes, onPodConditions = [] }: PodFailurePolicyRule,
  field: string,
  containers: ReadonlySet<string>,
): FieldError[] {
  const errors = oneOfRequired(`${field}.action`, action, ACTIONS);
  if (action === 'FailIndex' && backoffLimitPerIndex === undefined) {
    errors.push(invalidValue(`${field}.action`, action, 'requires the backoffLimitPerIndex to be set'));
  }
  if (onExitCodes !== undefined) errors.push(...exitCodeErrors(onExitCodes, `${field}.onExitCodes`, containers));
  errors.push(...conditionErrors(onPodConditions, `${field}.onPodConditions`));
  if (onExitCodes !== undefined && onPodConditions.length > 0) {
    errors.push(invalidValue(field, undefined, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (onExitCodes === undefined && onPodConditions.length === 0) {
    errors.push(invalidValue(field, undefined, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
  return errors;
}

function exitCodeErrors(
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  field: string,
  containers: ReadonlySet<string>,
): FieldError[] {
  const errors = oneOfRequired(`${field}.operator`, operator, OPERATORS);
  if (containerName !== undefined && !containers.has(containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalidValue(`${field}.containerName`, containerName, detail));
  }
  if (values.length === 0) errors.push(invalidValue(`${field}.values`, values, 'at least one value is required'));
  errors.push(...atMost(`${field}.values`, values.length, MAX_EXIT_CODES));
  const seen = new Set<number>();
  for (const [index, value] of values.slice(0, MAX_EXIT_CODES).entries()) {
    const at = `${field}.values[${index}]`;
    if (operator === 'In' && value === 0) errors.push(invalidValue(at, value, 'must not be 0 for the In operator'));
    if (seen.has(value)) errors.push({ type: 'FieldValueDuplicate', field: at, value, detail: '' });
    seen.add(value);
  }
  if (values.some((value, index) => index > 0 && (values[index - 1] ?? value) > value)) {
    errors.push(invalidValue(`${field}.values`, values, 'must be ordered'));
  }
  return errors;
}

function conditionErrors(patterns: readonly PodFailurePolicyOnPodConditionsPattern[], field: string): FieldError[] {
  return [
    ...atMost(field, patterns.length, MAX_PATTERNS),
    ...patterns
      .slice(0, MAX_PATTERNS)
      .flatMap(({ type, status }, index) => [
        ...invalidName(`${field}[${index}].type`, type, qualifiedNameErrors(type)),
        ...oneOfRequired(`${field}[${index}].status`, status, STATUSES),
      ]),
  ];
}

/** Upstream's rules for successPolicy. */
export function successPolicyErrors(spec: JobSpec, field: string): FieldError[] {
  const { successPolicy, completionMode, completions = 0 } = spec;
  if (successPolicy === undefined) return [];
  const path = `${field}.successPolicy`;
  if (completionMode !== 'Indexed') return [invalidValue(path, successPolicy, 'requires indexed completion mode')];
  const { rules } = successPolicy;
  const errors = atMost(`${path}.rules`, rules.length, MAX_RULES);
  if (rules.length === 0) {
    const detail = 'at least one rules must be specified when the successPolicy is specified';
    errors.push(required(`${path}.rules`, detail));
  }
  for (const [index, rule] of rules.slice(0, MAX_RULES).entries()) {
    errors.push(...successErrors(rule, completions, `${path}.rules[${index}]`));
  }
  return errors;
}

function successErrors(
  { succeededCount, succeededIndexes }: SuccessPolicyRule,
  completions: number,
  field: string,
): FieldError[] {
  if (succeededCount === undefined && succeededIndexes === undefined) {
    return [required(field, 'at least one of succeededCount or succeededIndexes must be specified')];
  }
  const errors = nonNegative(`${field}.succeededCount`, succeededCount);
  const counted = succeededIndexes === undefined ? { total: completions } : countIndexes(succeededIndexes, completions);
  if (counted.wrong !== undefined) {
    const detail = `error parsing succeededIndexes: ${counted.wrong}`;
    errors.push(invalidValue(`${field}.succeededIndexes`, succeededIndexes, detail));
  }
  if (succeededCount === undefined) return errors;
  const maxCountErrors = (max: number, what: string) =>
    invalidValue(
      `${field}.succeededCount`,
      succeededCount,
      `must be less than or equal to ${max} (the number of ${what})`,
    );
  if (succeededCount > completions) errors.push(maxCountErrors(completions, 'specified completions'));
  if (succeededIndexes !== undefined && succeededCount > counted.total) {
    errors.push(maxCountErrors(counted.total, 'indexes in the specified succeededIndexes field'));
  }
  return errors;
}

/** The number of indexes in a string like `0-2,4`, or an error. */
function countIndexes(text: string, completions: number): { readonly total: number; readonly wrong?: string } {
  if (text.length > MAX_INDEXES_LENGTH) return { total: 0, wrong: `may not be more than ${MAX_INDEXES_LENGTH} bytes` };
  let total = 0;
  let previousIndex = -1;
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (interval === null)
      return { total: 0, wrong: `cannot convert string to integer for index: ${JSON.stringify(part)}` };
    const first = Number(interval[1]);
    const last = Number(interval[2] ?? interval[1]);
    if (last >= completions)
      return { total: 0, wrong: `too large index: ${JSON.stringify(interval[2] ?? interval[1])}` };
    const isBackward = interval[2] !== undefined && last <= first;
    if (isBackward || first <= previousIndex) {
      const [previous, current] = isBackward ? [first, last] : [previousIndex, first];
      return { total: 0, wrong: `non-increasing order, previous: ${previous}, current: ${current}` };
    }
    total += last - first + 1;
    previousIndex = last;
  }
  return { total };
}

function oneOfRequired(field: string, value: string | undefined, allowed: readonly string[]): FieldError[] {
  if (!value) return [required(field, `valid values: [${allowed.map((one) => JSON.stringify(one)).join(' ')}]`)];
  return allowed.includes(value) ? [] : [unsupported(field, value, allowed)];
}

function atMost(field: string, count: number, max: number): FieldError[] {
  if (count <= max) return [];
  return [{ type: 'FieldValueTooMany', field, value: count, detail: `must have at most ${max} items` }];
}
