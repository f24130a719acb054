import type { APIService } from '@fairway/kube/kinds/generated/types';
import { APIServices } from '@fairway/kube/kinds/resources';
import { defineKind } from '../define-kind.ts';
import { nonNegative, required } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';

function service({ spec }: APIService): string {
  return spec.service === undefined ? 'Local' : `${spec.service.namespace}/${spec.service.name}`;
}

function available({ status }: APIService): string {
  const condition = status?.conditions?.find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  return condition.status === 'True' ? 'True' : `${condition.status} (${condition.reason ?? ''})`;
}

/** Served so that tools that list aggregated APIs work; nothing is proxied. */
export const APIServiceKind = defineKind(APIServices, {
  definition: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService',
  categories: ['api-extensions'],
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    default({ spec }) {
      if (spec.service) spec.service.port ??= 443;
    },
    prepareForCreate(service) {
      service.status = {};
    },
    validate: ({ metadata, spec }) => {
      const wanted = `${spec.version ?? ''}.${spec.group ?? ''}`;
      return [
        ...(spec.version ? [] : [required('spec.version')]),
        ...(metadata.name === wanted
          ? []
          : [
              {
                type: 'FieldValueInvalid' as const,
                field: 'metadata.name',
                value: metadata.name,
                detail: `must be \`spec.version+"."+spec.group\`: "${wanted}"`,
              },
            ]),
        ...nonNegative('spec.versionPriority', spec.versionPriority),
        ...nonNegative('spec.groupPriorityMinimum', spec.groupPriorityMinimum),
      ];
    },
  },
  columns: [text('Service', service), text('Available', available), AGE],
});
