import type { Container, PodSpec, Toleration } from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { forbidden, invalidValue } from '../field-errors.ts';

/** Upstream's ValidatePodUpdate: the mutable fields of a pod's spec. */
export function podUpdateErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.containers.length !== old.containers.length) {
    return [forbidden('spec.containers', 'pod updates may not add or remove containers')];
  }
  if ((spec.initContainers ?? []).length !== (old.initContainers ?? []).length) {
    return [forbidden('spec.initContainers', 'pod updates may not add or remove containers')];
  }
  errors.push(...deadlineErrors(spec, old), ...gateErrors(spec, old), ...tolerationErrors(spec, old));
  if (errors.length > 0) return errors;
  const isGated = (old.schedulingGates ?? []).length > 0;
  const grace = old.terminationGracePeriodSeconds ?? 0;
  const expectedSpec: PodSpec = {
    ...spec,
    containers: spec.containers.map((container, index) => withImage(container, old.containers[index])),
    ...(spec.initContainers && {
      initContainers: spec.initContainers.map((container, index) => withImage(container, old.initContainers?.[index])),
    }),
  };
  carryOver(expectedSpec, old, 'activeDeadlineSeconds');
  carryOver(expectedSpec, old, 'schedulingGates');
  carryOver(expectedSpec, old, 'tolerations');
  if (grace < 0 && spec.terminationGracePeriodSeconds === 1)
    carryOver(expectedSpec, old, 'terminationGracePeriodSeconds');
  if (isGated) {
    carryOver(expectedSpec, old, 'nodeSelector');
    carryOver(expectedSpec, old, 'affinity');
  }
  if (!jsonEqual(expectedSpec, old)) {
    const mutable = [
      'spec.containers[*].image',
      'spec.initContainers[*].image',
      'spec.activeDeadlineSeconds',
      'spec.tolerations',
    ].map((name) => `\`${name}\``);
    const detail = `pod updates may not change fields other than ${mutable.join(',')} (only additions to existing tolerations),\`spec.terminationGracePeriodSeconds\` (allow it to be set to 1 if it was previously negative)`;
    errors.push(forbidden('spec', detail));
  }
  return errors;
}

function withImage(container: Container, old: Container | undefined): Container {
  return old?.image === undefined ? container : { ...container, image: old.image };
}

function carryOver(spec: PodSpec, old: PodSpec, field: keyof PodSpec): void {
  if (old[field] === undefined) delete spec[field];
  else Object.assign(spec, { [field]: old[field] });
}

function deadlineErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const { activeDeadlineSeconds: updated } = spec;
  const { activeDeadlineSeconds: previous } = old;
  if (previous === undefined) return [];
  if (updated === undefined) {
    return [invalidValue(field, updated ?? null, 'must not update from a positive integer to nil value')];
  }
  if (updated <= previous) return [];
  return [invalidValue(field, updated, 'must be less than or equal to previous value')];
}

function gateErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const previous = new Set((old.schedulingGates ?? []).map((gate) => gate.name));
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) => {
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return previous.has(name) ? [] : [forbidden(`spec.schedulingGates[${index}].name`, detail)];
  });
}

/** Tolerations may be added, and their duration may change. */
function tolerationErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const kept = (spec.tolerations ?? []).map(withoutSeconds);
  const isKept = (toleration: Toleration) => kept.some((other) => jsonEqual(other, withoutSeconds(toleration)));
  if ((old.tolerations ?? []).every(isKept)) return [];
  return [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function withoutSeconds({ tolerationSeconds: _seconds, ...toleration }: Toleration): Toleration {
  return toleration;
}
