import type { StatefulSet, StatefulSetSpec, StatefulSetUpdateStrategy } from '@fairway/kube/kinds/generated/types';
import { StatefulSets } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { defaultClaim } from '../core/persistent-volume-claim.ts';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { forbidden, invalidValue, nonNegative, oneOf } from '../field-errors.ts';
import { defaultPodTemplate } from '../pod/pod-defaults.ts';
import { AGE, text } from '../printing/column.ts';
import { containerColumns } from '../printing/pod-template.ts';
import { countOrPercentErrors, hasOtherChanges } from '../validation-common.ts';
import { workloadTemplateErrors } from '../workload-validation.ts';

const RETENTION_POLICIES = ['Delete', 'Retain'];
const MUTABLE_FIELDS = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const satisfies readonly (keyof StatefulSetSpec)[];

function defaultStatefulSet(spec: StatefulSetSpec): void {
  setDefaults(spec, { podManagementPolicy: 'OrderedReady', replicas: 1, revisionHistoryLimit: 10 });
  spec.updateStrategy ??= {};
  setDefaults(spec.updateStrategy, { type: 'RollingUpdate' });
  if (spec.updateStrategy.type === 'RollingUpdate') {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.partition ??= 0;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  setDefaults(spec.persistentVolumeClaimRetentionPolicy, { whenDeleted: 'Retain', whenScaled: 'Retain' });
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
    defaultClaim(claim);
    claim.status = { phase: 'Pending' };
  }
  defaultPodTemplate(spec.template);
}

function specErrors(spec: StatefulSetSpec): FieldError[] {
  const rolling = spec.updateStrategy?.rollingUpdate;
  const retention = spec.persistentVolumeClaimRetentionPolicy;
  const retentionField = 'spec.persistentVolumeClaimRetentionPolicy';
  return [
    ...managementPolicyErrors(spec.podManagementPolicy),
    ...updateStrategyErrors(spec.updateStrategy),
    ...nonNegative('spec.updateStrategy.rollingUpdate.partition', rolling?.partition),
    ...countOrPercentErrors('spec.updateStrategy.rollingUpdate.maxUnavailable', rolling?.maxUnavailable),
    ...oneOf(`${retentionField}.whenDeleted`, retention?.whenDeleted, RETENTION_POLICIES, true),
    ...oneOf(`${retentionField}.whenScaled`, retention?.whenScaled, RETENTION_POLICIES, true),
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegative('spec.ordinals.start', spec.ordinals?.start),
    ...workloadTemplateErrors(spec.template, spec.selector, 'statefulset'),
  ];
}

function managementPolicyErrors(policy: string | undefined): FieldError[] {
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [invalidValue('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")];
}

function updateStrategyErrors(strategy: StatefulSetUpdateStrategy = {}): FieldError[] {
  if (strategy.type === 'RollingUpdate' || strategy.type === 'OnDelete') return [];
  return [invalidValue('spec.updateStrategy', strategy, "must be 'RollingUpdate' or 'OnDelete'")];
}

function updateErrors(spec: StatefulSetSpec, old: StatefulSetSpec): FieldError[] {
  if (!hasOtherChanges(spec, old, MUTABLE_FIELDS)) return [];
  const names = MUTABLE_FIELDS.map((name) => `'${name}'`);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return [forbidden('spec', `updates to statefulset spec for fields other than ${list} are forbidden`)];
}

export const StatefulSetKind = defineKind(StatefulSets, {
  definition: 'io.k8s.api.apps.v1.StatefulSet',
  shortNames: ['sts'],
  categories: ['all'],
  hasStatus: true,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.spec.selector',
  },
  strategy: {
    default: ({ spec }) => defaultStatefulSet(spec),
    prepareForCreate(set) {
      set.status = { replicas: 0, availableReplicas: 0 };
    },
    validate: ({ spec }, old) => [...specErrors(spec), ...(old === undefined ? [] : updateErrors(spec, old.spec))],
  },
  columns: [
    text('Ready', ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 1}`),
    AGE,
    ...containerColumns<StatefulSet>(({ spec }) => spec.template.spec?.containers ?? []),
  ],
});
