import type { LabelSelector, PodTemplateSpec } from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { compileLabelSelector, matchesLabels } from '@fairway/kube/object/selector';
import { forbidden, invalidValue, required, unsupported } from './field-errors.ts';
import { podTemplateErrors } from './pod/pod-validation.ts';
import { isEmptySelector, labelSelectorErrors, SELECTOR_OPERATORS } from './validation-common.ts';

/** Additional rules for the pod template of a Deployment, ReplicaSet, StatefulSet or DaemonSet. */
export function workloadTemplateErrors(
  template: PodTemplateSpec | undefined,
  selector: LabelSelector | undefined,
  kind: string,
): FieldError[] {
  const field = 'spec.template';
  return [
    ...requiredSelectorErrors(selector, kind),
    ...selectorMatchErrors(template, selector),
    ...podTemplateErrors(template, field),
    ...restartPolicyErrors(template, field, kind),
  ];
}

function requiredSelectorErrors(selector: LabelSelector | undefined, kind: string): FieldError[] {
  if (selector === undefined) return [required('spec.selector')];
  if (isEmptySelector(selector)) {
    return [invalidValue('spec.selector', selector, `empty selector is invalid for ${kind}`)];
  }
  return labelSelectorErrors('spec.selector', selector);
}

export function selectorMatchErrors(
  template: PodTemplateSpec | undefined,
  selector: LabelSelector | undefined,
): FieldError[] {
  if (selector === undefined || isEmptySelector(selector)) return [];
  if ((selector.matchExpressions ?? []).some(({ operator }) => !SELECTOR_OPERATORS.includes(operator))) {
    return [invalidValue('spec.selector', selector, 'invalid label selector')];
  }
  if (labelSelectorErrors('spec.selector', selector).length > 0) return [];
  const labels = template?.metadata?.labels ?? {};
  if (matchesLabels(compileLabelSelector(selector), labels)) return [];
  return [invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

function restartPolicyErrors(template: PodTemplateSpec | undefined, field: string, kind: string): FieldError[] {
  const errors: FieldError[] = [];
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  if (restartPolicy !== undefined && restartPolicy !== 'Always') {
    errors.push(unsupported(`${field}.spec.restartPolicy`, restartPolicy, ['Always']));
  }
  if (activeDeadlineSeconds !== undefined) {
    const noun = kind === 'deployment' ? 'ReplicaSet' : kind;
    errors.push(forbidden(`${field}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${noun} is not Supported`));
  }
  return errors;
}
