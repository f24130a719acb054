import type { ReplicationController } from '@fairway/kube/kinds/generated/types';
import { ReplicationControllers } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { defineKind } from '../define-kind.ts';
import { invalidValue, nonNegative, required } from '../field-errors.ts';
import { defaultPodTemplate } from '../pod/pod-defaults.ts';
import { podTemplateErrors } from '../pod/pod-validation.ts';
import { AGE, count, text, wide } from '../printing/column.ts';
import { formatLabels } from '../printing/labels.ts';
import { containerColumns } from '../printing/pod-template.ts';

function specErrors({ spec }: ReplicationController): FieldError[] {
  const { selector = {}, template } = spec;
  const errors = [
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...podTemplateErrors(template, 'spec.template'),
  ];
  if (Object.keys(selector).length === 0) errors.push(required('spec.selector'));
  const labels = template?.metadata?.labels ?? {};
  if (Object.entries(selector).some(([key, value]) => labels[key] !== value)) {
    errors.push(invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  }
  return errors;
}

export const ReplicationControllerKind = defineKind(ReplicationControllers, {
  definition: 'io.k8s.api.core.v1.ReplicationController',
  shortNames: ['rc'],
  categories: ['all'],
  hasStatus: true,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.spec.selector',
  },
  strategy: {
    orphansDependents: '',
    default(controller) {
      const { metadata, spec } = controller;
      spec.replicas ??= 1;
      const labels = spec.template?.metadata?.labels;
      if (labels && !spec.selector) spec.selector = { ...labels };
      if (labels && !metadata.labels) metadata.labels = { ...labels };
      defaultPodTemplate(spec.template);
    },
    prepareForCreate(controller) {
      controller.status = { replicas: 0 };
    },
    validate: specErrors,
  },
  selectableFields: { 'status.replicas': '.status.replicas' },
  unsetFields: { 'status.replicas': '0' },
  columns: [
    count('Desired', '.spec.replicas'),
    count('Current', '.status.replicas'),
    count('Ready', ({ status }) => status?.readyReplicas ?? 0),
    AGE,
    ...containerColumns<ReplicationController>(({ spec }) => spec.template?.spec?.containers ?? []),
    wide(text('Selector', ({ spec }) => formatLabels(spec.selector))),
  ],
});
