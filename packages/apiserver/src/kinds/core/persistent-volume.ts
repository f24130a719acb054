import { formatTime } from '@fairway/base/clock';
import type { PersistentVolume, PersistentVolumeSpec } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumes } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { forbidden, oneOf, required, unsupported } from '../field-errors.ts';
import { nodeSelectorTermsErrors } from '../pod/affinity-validation.ts';
import { AGE, text, wide } from '../printing/column.ts';
import { canonicalizeQuantities } from '../quantities.ts';
import { hasOtherChanges, immutable, quantityErrors } from '../validation-common.ts';
import { ACCESS_MODES, formatAccessModes } from './access-modes.ts';

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const VOLUME_MODES = ['Block', 'Filesystem'];
/** Fields other than the volume's source. */
const OWN_FIELDS = [
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
] as const satisfies readonly (keyof PersistentVolumeSpec)[];

function specErrors(spec: PersistentVolumeSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (!spec.accessModes?.length) errors.push(required('spec.accessModes'));
  for (const mode of spec.accessModes ?? []) {
    if (!ACCESS_MODES.includes(mode)) errors.push(unsupported('spec.accessModes', mode, ACCESS_MODES));
  }
  const storage = spec.capacity?.['storage'];
  if (Object.keys(spec.capacity ?? {}).length === 0) errors.push(required('spec.capacity'));
  if (storage === undefined) errors.push(unsupported('spec.capacity', spec.capacity ?? null, ['storage']));
  else errors.push(...quantityErrors('spec.capacity[storage]', storage));
  errors.push(...oneOf('spec.persistentVolumeReclaimPolicy', spec.persistentVolumeReclaimPolicy, RECLAIM_POLICIES));
  errors.push(...oneOf('spec.volumeMode', spec.volumeMode, VOLUME_MODES));
  const sources = Object.keys(spec).filter((field) => !(OWN_FIELDS as readonly string[]).includes(field));
  if (sources.length === 0) errors.push(required('spec', 'must specify a volume type'));
  for (const source of sources.slice(1)) {
    errors.push(forbidden(`spec.${source}`, 'may not specify more than 1 volume type'));
  }
  if (spec.csi && !spec.csi.driver) errors.push(required('spec.csi.driver'));
  if (spec.csi && !spec.csi.volumeHandle) errors.push(required('spec.csi.volumeHandle'));
  if (spec.nodeAffinity?.required) {
    const terms = spec.nodeAffinity.required.nodeSelectorTerms;
    errors.push(...nodeSelectorTermsErrors(terms, 'spec.nodeAffinity.required.nodeSelectorTerms'));
  }
  return errors;
}

function updateErrors({ spec }: PersistentVolume, { spec: old }: PersistentVolume): FieldError[] {
  const errors: FieldError[] = [];
  if (hasOtherChanges(spec, old, OWN_FIELDS)) {
    errors.push(forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation'));
  }
  errors.push(...immutable('volumeMode', spec.volumeMode, old.volumeMode));
  if (old.nodeAffinity) errors.push(...immutable('spec.nodeAffinity', spec.nodeAffinity, old.nodeAffinity));
  return errors;
}

function claim({ spec }: PersistentVolume): string {
  return spec.claimRef ? `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}` : '';
}

export const PersistentVolumeKind = defineKind(PersistentVolumes, {
  definition: 'io.k8s.api.core.v1.PersistentVolume',
  shortNames: ['pv'],
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    default(volume) {
      setDefaults(volume.spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' });
      canonicalizeQuantities(volume.spec.capacity);
    },
    prepareForCreate(volume, { nowMs }) {
      volume.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(nowMs) };
    },
    validate: (volume, old) => [...specErrors(volume.spec), ...(old === undefined ? [] : updateErrors(volume, old))],
  },
  columns: [
    text('Capacity', '.spec.capacity.storage'),
    text('Access Modes', ({ spec }) => formatAccessModes(spec.accessModes)),
    text('Reclaim Policy', '.spec.persistentVolumeReclaimPolicy'),
    text('Status', ({ metadata, status }) => (metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''))),
    text('Claim', claim),
    text('StorageClass', ({ spec }) => spec.storageClassName ?? ''),
    text('VolumeAttributesClass', ({ spec }) => spec.volumeAttributesClassName ?? '<unset>'),
    text('Reason', ({ status }) => status?.reason ?? ''),
    AGE,
    wide(text('VolumeMode', ({ spec }) => spec.volumeMode ?? '<unset>')),
  ],
});
