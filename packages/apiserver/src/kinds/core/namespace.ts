import { Namespaces } from '@fairway/kube/kinds/resources';
import { dns1123LabelErrors } from '@fairway/kube/object/names';
import { defineKind } from '../define-kind.ts';
import { AGE, text } from '../printing/column.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';

export const NamespaceKind = defineKind(Namespaces, {
  definition: 'io.k8s.api.core.v1.Namespace',
  shortNames: ['ns'],
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    nameErrors: dns1123LabelErrors,
    default(namespace) {
      const { metadata } = namespace;
      if (metadata.name) metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name };
    },
    prepareForCreate(namespace) {
      namespace.status = { phase: 'Active' };
      const finalizers = namespace.spec.finalizers ?? [];
      namespace.spec.finalizers = finalizers.includes('kubernetes') ? finalizers : ['kubernetes', ...finalizers];
    },
    prepareForUpdate(namespace, old) {
      namespace.spec = old.spec;
    },
  },
  selectableFields: { 'status.phase': '.status.phase' },
  columns: [text('Status', '.status.phase'), AGE],
});
