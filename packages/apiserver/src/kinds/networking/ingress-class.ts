import type { IngressClass } from '@fairway/kube/kinds/generated/types';
import { IngressClasses } from '@fairway/kube/kinds/resources';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { required } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';
import { immutable } from '../validation-common.ts';

function parameters({ spec }: IngressClass): string {
  if (spec.parameters === undefined) return '<none>';
  const { apiGroup, kind, name } = spec.parameters;
  return apiGroup ? `${kind}.${apiGroup}/${name}` : `${kind}/${name}`;
}

export const IngressClassKind = defineKind(IngressClasses, {
  definition: 'io.k8s.api.networking.v1.IngressClass',
  strategy: {
    default({ spec }) {
      if (spec.parameters) setDefaults(spec.parameters, { scope: 'Cluster' });
    },
    validate: ({ spec }, old) =>
      old === undefined
        ? spec.controller
          ? []
          : [required('spec.controller')]
        : immutable('spec.controller', spec.controller, old.spec.controller),
  },
  columns: [text('Controller', '.spec.controller'), text('Parameters', parameters), AGE],
});
