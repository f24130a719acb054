import { ServiceAccounts } from '@fairway/kube/kinds/resources';
import { defineKind } from '../define-kind.ts';
import { AGE } from '../printing/column.ts';

export const ServiceAccountKind = defineKind(ServiceAccounts, {
  definition: 'io.k8s.api.core.v1.ServiceAccount',
  shortNames: ['sa'],
  hasGeneration: false,
  columns: [AGE],
});
