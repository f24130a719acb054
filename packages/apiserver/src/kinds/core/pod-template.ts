import type { PodTemplate } from '@fairway/kube/kinds/generated/types';
import { PodTemplates } from '@fairway/kube/kinds/resources';
import { defineKind } from '../define-kind.ts';
import { defaultPodTemplate } from '../pod/pod-defaults.ts';
import { podTemplateErrors } from '../pod/pod-validation.ts';
import { text } from '../printing/column.ts';
import { formatLabels } from '../printing/labels.ts';
import { containerColumns } from '../printing/pod-template.ts';

export const PodTemplateKind = defineKind(PodTemplates, {
  definition: 'io.k8s.api.core.v1.PodTemplate',
  strategy: {
    default({ template }) {
      defaultPodTemplate(template);
    },
    validate: ({ template }) => podTemplateErrors(template, 'template'),
  },
  columns: [
    ...containerColumns<PodTemplate>(({ template }) => template?.spec?.containers ?? []).map(
      ({ priority: _wide, ...column }) => column,
    ),
    text('Pod Labels', ({ template }) => formatLabels(template?.metadata?.labels)),
  ],
});
