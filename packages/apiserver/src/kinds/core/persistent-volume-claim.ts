import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { compareQuantities, tryParseQuantity } from '@fairway/kube/object/quantity';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { forbidden, oneOf, required, unsupported } from '../field-errors.ts';
import { AGE, text, wide } from '../printing/column.ts';
import { canonicalizeQuantities } from '../quantities.ts';
import { labelSelectorErrors, quantityErrors } from '../validation-common.ts';
import { ACCESS_MODES, formatAccessModes } from './access-modes.ts';

const BETA_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** Also applies to the templates of StatefulSets. */
export function defaultClaim(claim: PersistentVolumeClaim): void {
  claim.spec ??= {};
  setDefaults(claim.spec, { volumeMode: 'Filesystem' });
  claim.spec.resources ??= {};
  canonicalizeQuantities(claim.spec.resources.requests);
  canonicalizeQuantities(claim.spec.resources.limits);
}

export function claimSpecErrors(spec: PersistentVolumeClaimSpec, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) errors.push(required(`${field}.accessModes`, 'at least 1 access mode is required'));
  for (const mode of modes) {
    if (!ACCESS_MODES.includes(mode)) errors.push(unsupported(`${field}.accessModes`, mode, ACCESS_MODES));
  }
  if (modes.includes('ReadWriteOncePod') && modes.length > 1) {
    const detail = 'may not use ReadWriteOncePod with other access modes';
    errors.push(forbidden(`${field}.accessModes`, detail));
  }
  const storage = spec.resources?.requests?.['storage'];
  if (storage === undefined) errors.push(required(`${field}.resources[storage]`));
  else errors.push(...quantityErrors(`${field}.resources[storage]`, storage));
  errors.push(...oneOf(`${field}.volumeMode`, spec.volumeMode, ['Block', 'Filesystem']));
  return [...errors, ...labelSelectorErrors(`${field}.selector`, spec.selector)];
}

/** A claim may be bound, expanded, and given a class if it has none. */
function updateErrors(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
  const isBound = old.status?.phase === 'Bound';
  const expectedSpec: PersistentVolumeClaimSpec = { ...claim.spec };
  if (!old.spec.volumeName) carryOver(expectedSpec, old.spec, 'volumeName');
  if (old.spec.storageClassName === undefined && !old.metadata.annotations?.[BETA_CLASS_ANNOTATION]) {
    carryOver(expectedSpec, old.spec, 'storageClassName');
  }
  if (isBound) {
    const requests = { ...claim.spec.resources?.requests };
    const previous = old.spec.resources?.requests?.['storage'];
    if (
      isSmaller(requests['storage'], old.status?.capacity?.['storage'] ?? previous) &&
      requests['storage'] !== previous
    ) {
      errors.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
    }
    if (previous !== undefined) requests['storage'] = previous;
    expectedSpec.resources = { ...claim.spec.resources, requests };
    carryOver(expectedSpec, old.spec, 'volumeAttributesClassName');
  }
  if (!jsonEqual(expectedSpec, old.spec)) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(forbidden('spec', detail));
  }
  return errors;
}

function carryOver(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec,
  field: 'volumeName' | 'storageClassName' | 'volumeAttributesClassName',
): void {
  if (old[field] === undefined) delete spec[field];
  else spec[field] = old[field];
}

function isSmaller(value: string | undefined, than: string | undefined): boolean {
  const left = tryParseQuantity(value);
  const right = tryParseQuantity(than);
  return left !== undefined && right !== undefined && compareQuantities(left, right) < 0;
}

function isBound({ spec }: PersistentVolumeClaim): boolean {
  return Boolean(spec.volumeName);
}

export const PersistentVolumeClaimKind = defineKind(PersistentVolumeClaims, {
  definition: 'io.k8s.api.core.v1.PersistentVolumeClaim',
  shortNames: ['pvc'],
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    default: defaultClaim,
    prepareForCreate(claim) {
      claim.status = { phase: 'Pending' };
    },
    validate: (claim, old) => [
      ...claimSpecErrors(claim.spec, 'spec'),
      ...(old === undefined ? [] : updateErrors(claim, old)),
    ],
  },
  columns: [
    text('Status', ({ metadata, status }) => (metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''))),
    text('Volume', ({ spec }) => spec.volumeName ?? ''),
    text('Capacity', (claim) => (isBound(claim) ? (claim.status?.capacity?.['storage'] ?? '0') : '')),
    text('Access Modes', (claim) => (isBound(claim) ? formatAccessModes(claim.status?.accessModes) : '')),
    text(
      'StorageClass',
      ({ metadata, spec }) => metadata.annotations?.[BETA_CLASS_ANNOTATION] ?? spec.storageClassName ?? '',
    ),
    text('VolumeAttributesClass', ({ spec }) => spec.volumeAttributesClassName ?? '<unset>'),
    AGE,
    wide(text('VolumeMode', ({ spec }) => spec.volumeMode ?? '<unset>')),
  ],
});
