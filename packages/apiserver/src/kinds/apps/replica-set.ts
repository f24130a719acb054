import type { ReplicaSet } from '@fairway/kube/kinds/generated/types';
import { ReplicaSets } from '@fairway/kube/kinds/resources';
import { defineKind } from '../define-kind.ts';
import { nonNegative } from '../field-errors.ts';
import { defaultPodTemplate } from '../pod/pod-defaults.ts';
import { AGE, count, text, wide } from '../printing/column.ts';
import { formatLabelSelector } from '../printing/labels.ts';
import { containerColumns } from '../printing/pod-template.ts';
import { immutable } from '../validation-common.ts';
import { workloadTemplateErrors } from '../workload-validation.ts';

export const ReplicaSetKind = defineKind(ReplicaSets, {
  definition: 'io.k8s.api.apps.v1.ReplicaSet',
  shortNames: ['rs'],
  categories: ['all'],
  hasStatus: true,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.spec.selector',
  },
  strategy: {
    default({ spec }) {
      spec.replicas ??= 1;
      defaultPodTemplate(spec.template);
    },
    prepareForCreate(set) {
      set.status = { replicas: 0 };
    },
    validate: ({ spec }, old) => [
      ...nonNegative('spec.replicas', spec.replicas),
      ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
      ...workloadTemplateErrors(spec.template, spec.selector, 'ReplicaSet'),
      ...(old === undefined ? [] : immutable('spec.selector', spec.selector, old.spec.selector)),
    ],
  },
  selectableFields: { 'status.replicas': '.status.replicas' },
  unsetFields: { 'status.replicas': '0' },
  columns: [
    count('Desired', '.spec.replicas'),
    count('Current', ({ status }) => status?.replicas ?? 0),
    count('Ready', ({ status }) => status?.readyReplicas ?? 0),
    AGE,
    ...containerColumns<ReplicaSet>(({ spec }) => spec.template?.spec?.containers ?? []),
    wide(text('Selector', ({ spec }) => formatLabelSelector(spec.selector))),
  ],
});
