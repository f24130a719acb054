import { defineKind } from '../define-kind.ts';
import type { PodTemplate } from '../generated/types.ts';
import { defaultPodTemplate } from '../pod/pod-defaults.ts';
import { podTemplateErrors } from '../pod/pod-validation.ts';
import { text } from '../printing/column.ts';
import { formatLabels } from '../printing/labels.ts';
import { containerColumns } from '../printing/pod-template.ts';
import { PodTemplates } from '../resources.ts';

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
