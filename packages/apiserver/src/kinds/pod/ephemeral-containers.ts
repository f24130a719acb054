import type { Container, EphemeralContainer, PodSpec } from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { duplicate, forbidden, unknownName } from '../field-errors.ts';
import { containerErrors } from './container-validation.ts';

const FIELD = 'spec.ephemeralContainers';
const NOT_ALLOWED_MESSAGE = 'cannot be set for an Ephemeral Container';
/** Fields that are not allowed because they make a container part of the workload. */
const REFUSED_FIELDS = [
  'ports',
  'resources',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'resizePolicy',
  'restartPolicy',
] as const;

/** Upstream's ValidatePodEphemeralContainersUpdate: they can only be added. */
export function ephemeralContainersErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const { containers, initContainers = [], ephemeralContainers = [], volumes = [], hostNetwork = false } = spec;
  const others = new Set([...containers, ...initContainers].map(({ name }) => name));
  const names = new Set(others);
  const volumeNames = new Set(volumes.map(({ name }) => name));
  const errors: FieldError[] = [];
  for (const [index, container] of ephemeralContainers.entries()) {
    const path = `${FIELD}[${index}]`;
    const { name, targetContainerName } = container;
    errors.push(...containerErrors(withoutRefusedFields(container), path, { role: 'app', volumeNames, hostNetwork }));
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    if (targetContainerName && !others.has(targetContainerName)) {
      errors.push(unknownName(`${path}.targetContainerName`, targetContainerName));
    }
    errors.push(...refusedErrors(container, path));
  }
  return [...errors, ...changeErrors(ephemeralContainers, old.ephemeralContainers ?? [])];
}

function withoutRefusedFields(container: EphemeralContainer): Container {
  const rest: Container = { ...container };
  for (const field of REFUSED_FIELDS) delete rest[field];
  return rest;
}

function refusedErrors(container: EphemeralContainer, path: string): FieldError[] {
  const isSet = (value: unknown) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && !jsonEqual(value, {});
  const fields = REFUSED_FIELDS.filter((field) => isSet(container[field])).map((field) => `${path}.${field}`);
  const mounts = (container.volumeMounts ?? []).flatMap((mount, index) =>
    (['subPath', 'subPathExpr'] as const)
      .filter((field) => mount[field])
      .map((field) => `${path}.volumeMounts[${index}].${field}`),
  );
  return [...fields, ...mounts].map((field) => forbidden(field, NOT_ALLOWED_MESSAGE));
}

function changeErrors(updated: readonly EphemeralContainer[], previous: readonly EphemeralContainer[]): FieldError[] {
  return previous.flatMap((old) => {
    const now = updated.find(({ name }) => name === old.name);
    if (now !== undefined && jsonEqual(now, old)) return [];
    const what = now === undefined ? 'removed' : 'changed';
    return [forbidden(FIELD, `existing ephemeral containers "${old.name}" may not be ${what}\n`)];
  });
}
