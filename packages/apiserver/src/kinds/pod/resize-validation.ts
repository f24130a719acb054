import type { Container, Pod, PodSpec, ResourceRequirements } from '@fairway/kube/kinds/generated/types';
import { type FieldError } from '@fairway/kube/object/field-error';
import { cloneJson, jsonEqual } from '@fairway/kube/object/json';
import { forbidden, invalidValue } from '../field-errors.ts';
import { podSpecErrors } from './pod-validation.ts';
import { qosClassOf } from './qos-class.ts';

const LISTS = ['containers', 'initContainers'] as const;
const RESIZABLE_RESOURCES = ['cpu', 'memory'] as const;
const MIRROR = 'kubernetes.io/config.mirror';

/** The spec requested by a resize: only resources and resize policies of containers are taken from the client's object. */
export function resizedSpec(sent: PodSpec, old: PodSpec): PodSpec {
  const spec = cloneJson(old);
  for (const list of LISTS) {
    const [updated, previous] = [sent[list] ?? [], spec[list] ?? []];
    const isSame =
      updated.length === previous.length && updated.every(({ name }, index) => name === previous[index]?.name);
    if (!isSame) return sent;
    for (const [index, container] of previous.entries()) {
      for (const field of ['resources', 'resizePolicy'] as const) {
        const value = updated[index]?.[field];
        if (value === undefined) delete container[field];
        else Object.assign(container, { [field]: value });
      }
    }
  }
  if (sent.resources === undefined) delete spec.resources;
  else spec.resources = sent.resources;
  return spec;
}

/** Upstream's ValidatePodResize: CPU and memory may be changed or added within the pod's QoS class. */
export function resizeErrors(spec: PodSpec, pod: Pod): FieldError[] {
  const old = pod.spec;
  if (pod.metadata.annotations?.[MIRROR] !== undefined) return [forbidden('', 'static pods cannot be resized')];
  if (old.os?.name === 'windows') return [forbidden('', 'windows pods cannot be resized')];
  const errors = podSpecErrors(spec, 'spec');
  if (qosClassOf(spec) !== (pod.status?.qosClass ?? qosClassOf(old))) {
    errors.push(invalidValue('spec', pod.status?.qosClass, 'Pod QOS Class may not change as a result of resizing'));
  }
  if (!isSupported(pod)) errors.push(forbidden('spec', 'Pod running on node without support for resize'));
  const moved = LISTS.flatMap((list) => orderErrors(spec[list] ?? [], old[list] ?? [], list));
  if (moved.length > 0) return [...errors, ...moved];
  errors.push(...LISTS.flatMap((list) => removalErrors(spec[list] ?? [], old[list] ?? [], list)));
  errors.push(...changeErrors(spec, old));
  return errors;
}

/** Kubelets before 1.33 don't support resizing; they are recognised by their status. */
function isSupported({ status }: Pod): boolean {
  const running = status?.containerStatuses?.find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

function orderErrors(updated: readonly Container[], previous: readonly Container[], list: string): FieldError[] {
  if (updated.length !== previous.length) {
    return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  }
  return previous.flatMap(({ name }, index) =>
    updated[index]?.name === name
      ? []
      : [forbidden(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`)],
  );
}

function removalErrors(updated: readonly Container[], previous: readonly Container[], list: string): FieldError[] {
  return previous.flatMap(({ resources: old }, index) =>
    (['requests', 'limits'] as const).flatMap((kind) => {
      const now = updated[index]?.resources?.[kind] ?? {};
      const isRemoved = Object.keys(old?.[kind] ?? {}).some((name) => now[name] === undefined);
      const detail = `resource ${kind} cannot be removed`;
      return isRemoved ? [forbidden(`spec.${list}[${index}].resources.${kind}`, detail)] : [];
    }),
  );
}

function changeErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, container] of spec.containers.entries()) {
    if (!isResizeOnly(container, old.containers[index])) {
      errors.push(forbidden('spec', 'only cpu and memory resources are mutable'));
    }
  }
  for (const [index, container] of (spec.initContainers ?? []).entries()) {
    const previous = old.initContainers?.[index];
    if (jsonEqual(container, previous)) continue;
    if (container.restartPolicy !== 'Always') {
      errors.push(forbidden('spec', 'resources for non-sidecar init containers are immutable'));
    } else if (!isResizeOnly(container, previous)) {
      const detail = 'only cpu and memory resources for sidecar containers are mutable';
      errors.push(forbidden(`spec.initContainers[${index}]`, detail));
    }
  }
  if (!jsonEqual(spec.resources, old.resources)) {
    errors.push(forbidden('spec.resources', 'resources of the pod as a whole cannot be resized here'));
  }
  return errors;
}

function isResizeOnly(container: Container, previous: Container | undefined): boolean {
  return jsonEqual(withoutResizable(container), previous && withoutResizable(previous));
}

function withoutResizable({ resources, ...rest }: Container): object {
  return { ...rest, resources: withoutResizableResources(resources) };
}

function withoutResizableResources({ requests, limits, ...rest }: ResourceRequirements = {}): object {
  const others = (list: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(list).filter(([name]) => !RESIZABLE_RESOURCES.some((one) => one === name)));
  return { ...rest, requests: others(requests), limits: others(limits) };
}
