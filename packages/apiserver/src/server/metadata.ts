import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject, ObjectMeta } from '@fairway/kube/object/meta';
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  qualifiedNameErrors,
} from '@fairway/kube/object/names';
import type { ServedResource } from './served-resource.ts';

const MAX_ANNOTATION_BYTES = 256 * 1024;
const BUILT_IN_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** apimachinery's ValidateObjectMeta. */
export function metadataErrors(object: KubeObject, resource: ServedResource): FieldError[] {
  const { metadata } = object;
  const errors: FieldError[] = [];
  if (metadata.name === undefined || metadata.name === '') {
    errors.push({ type: 'FieldValueRequired', field: 'metadata.name', detail: 'name or generateName is required' });
  } else {
    const { strategy } = resource.definition;
    const details = strategy?.nameErrors?.(metadata.name) ?? dns1123SubdomainErrors(metadata.name);
    for (const detail of details) errors.push(wrong('metadata.name', metadata.name, detail));
  }
  if (metadata.generateName) {
    // The prefix of a generated name may be truncated after a dash.
    const base = metadata.generateName.replace(/.-$/, 'a');
    const details = resource.definition.strategy?.nameErrors?.(base) ?? dns1123SubdomainErrors(base);
    for (const detail of details) errors.unshift(wrong('metadata.generateName', metadata.generateName, detail));
  }
  if (resource.namespaced) {
    for (const detail of dns1123LabelErrors(metadata.namespace ?? '')) {
      errors.push(wrong('metadata.namespace', metadata.namespace, detail));
    }
  } else if (metadata.namespace) {
    errors.push({ type: 'FieldValueForbidden', field: 'metadata.namespace', detail: 'not allowed on this type' });
  }
  errors.push(...labelErrors(metadata), ...annotationErrors(metadata), ...ownerErrors(metadata));
  errors.push(...finalizerErrors(metadata, resource.definition.custom ?? false));
  return errors;
}

/** apimachinery's ValidateObjectMetaUpdate, for fields that are not silently copied from the old object. */
export function metadataUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  if (old.metadata.deletionTimestamp !== undefined) {
    const previous = new Set(old.metadata.finalizers);
    const added = (object.metadata.finalizers ?? []).filter((finalizer) => !previous.has(finalizer));
    if (added.length > 0) {
      const names = added.map((name) => JSON.stringify(name)).join(', ');
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${names}}`;
      errors.push({ type: 'FieldValueForbidden', field: 'metadata.finalizers', detail });
    }
  }
  for (const field of ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (object.metadata[field] === old.metadata[field]) continue;
    errors.push(wrong(`metadata.${field}`, object.metadata[field], 'field is immutable'));
  }
  return errors;
}

/** Copies metadata that a client may omit from an update or may not set: uid, creation time and the like. */
export function carryOverMetadata(object: KubeObject, old: KubeObject): void {
  const { metadata } = object;
  const previous = old.metadata;
  for (const field of ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (previous[field] === undefined) delete metadata[field];
    else if (metadata[field] === undefined || metadata[field] === '')
      Object.assign(metadata, { [field]: previous[field] });
  }
  if (previous.generation === undefined) delete metadata.generation;
  else metadata.generation = previous.generation;
  delete (metadata as { selfLink?: string }).selfLink;
}

/** Whether anything but metadata and status differs, which increments `metadata.generation`. */
export function isSpecChanged(object: KubeObject, old: KubeObject, hasStatus: boolean): boolean {
  const { metadata: _metadata, status: _status, ...rest } = object as KubeObject & { status?: unknown };
  const { metadata: _oldMetadata, status: _oldStatus, ...oldRest } = old as KubeObject & { status?: unknown };
  return !jsonEqual(rest, oldRest) || (!hasStatus && !jsonEqual(_status, _oldStatus));
}

function labelErrors({ labels = {} }: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    for (const detail of qualifiedNameErrors(key)) errors.push(wrong('metadata.labels', key, detail));
    for (const detail of labelValueErrors(value)) errors.push(wrong('metadata.labels', value, detail));
  }
  return errors;
}

function annotationErrors({ annotations = {} }: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    for (const detail of qualifiedNameErrors(key.toLowerCase()))
      errors.push(wrong('metadata.annotations', key, detail));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > MAX_ANNOTATION_BYTES) {
    errors.push({
      type: 'FieldValueTooLong',
      field: 'metadata.annotations',
      detail: `may not be more than ${MAX_ANNOTATION_BYTES} bytes`,
    });
  }
  return errors;
}

function ownerErrors({ ownerReferences = [] }: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  const controllers: string[] = [];
  for (const owner of ownerReferences) {
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (owner[field]) continue;
      const what = field === 'apiVersion' ? 'version ' : '';
      errors.push(wrong(`metadata.ownerReferences.${field}`, owner[field] ?? '', `${what}must not be empty`));
    }
    if (owner.controller === true) controllers.push(`${owner.kind}/${owner.name}`);
  }
  if (controllers.length > 1) {
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controllers.slice(0, 2).join(' and ')}`;
    errors.push(wrong('metadata.ownerReferences', ownerReferences, detail));
  }
  return errors;
}

/**
 * Finalizers of built-in kinds also need a domain (core's ValidateObjectMeta); finalizers of custom resources may be
 * plain.
 */
function finalizerErrors({ finalizers = [] }: ObjectMeta, isCustom: boolean): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, finalizer] of finalizers.entries()) {
    const field = `metadata.finalizers[${index}]`;
    for (const detail of qualifiedNameErrors(finalizer)) errors.push(wrong(field, finalizer, detail));
    if (!isCustom && !finalizer.includes('/') && !BUILT_IN_FINALIZERS.has(finalizer)) {
      errors.push(wrong(field, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'));
    }
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push(wrong('metadata.finalizers', finalizers, detail));
  }
  return errors;
}

function wrong(field: string, value: unknown, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, value, detail };
}
