import type { LimitRange, LimitRangeItem, ResourceQuota } from '@fairway/kube/kinds/generated/types';
import { LimitRanges, ResourceQuotas } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { defineKind } from '../define-kind.ts';
import { AGE, CREATED_AT, text } from '../printing/column.ts';
import { canonicalizeQuantities } from '../quantities.ts';
import { immutable, quantityErrors } from '../validation-common.ts';

const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** A container's default limit is its maximum, and its default request is its limit, or else its minimum. */
function defaultLimits(item: LimitRangeItem): void {
  for (const list of LISTS) canonicalizeQuantities(item[list]);
  if (item.type !== 'Container') return;
  item.default = { ...item.max, ...item.default };
  item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
}

function limitErrors({ spec }: LimitRange): FieldError[] {
  return (spec.limits ?? []).flatMap((item, index) =>
    LISTS.flatMap((list) =>
      Object.entries(item[list] ?? {}).flatMap(([name, value]) =>
        quantityErrors(`spec.limits[${index}].${list}[${name}]`, value),
      ),
    ),
  );
}

export const LimitRangeKind = defineKind(LimitRanges, {
  definition: 'io.k8s.api.core.v1.LimitRange',
  shortNames: ['limits'],
  hasGeneration: false,
  strategy: {
    default(range) {
      for (const item of range.spec.limits ?? []) defaultLimits(item);
    },
    validate: limitErrors,
  },
  columns: [CREATED_AT],
});

/** `pods: 2/10, services: 1/5`: the resources that `select` accepts. */
function usage({ status = {} }: ResourceQuota, select: (name: string) => boolean): string {
  const names = Object.keys(status.hard ?? {}).filter(select);
  return names
    .sort()
    .map((name) => `${name}: ${status.used?.[name] ?? '0'}/${status.hard?.[name]}`)
    .join(', ');
}

function isLimit(name: string): boolean {
  return name.startsWith('limits.');
}

export const ResourceQuotaKind = defineKind(ResourceQuotas, {
  definition: 'io.k8s.api.core.v1.ResourceQuota',
  shortNames: ['quota'],
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    default(quota) {
      canonicalizeQuantities(quota.spec.hard);
      canonicalizeQuantities(quota.status?.hard);
      canonicalizeQuantities(quota.status?.used);
    },
    prepareForCreate(quota) {
      quota.status = {};
    },
    validate: ({ spec }, old) => [
      ...Object.entries(spec.hard ?? {}).flatMap(([name, value]) => quantityErrors(`spec.hard[${name}]`, value)),
      ...(old === undefined ? [] : immutable('spec.scopes', spec.scopes, old.spec.scopes)),
    ],
  },
  columns: [
    text('Request', (quota) => usage(quota, (name) => !isLimit(name))),
    text('Limit', (quota) => usage(quota, isLimit)),
    AGE,
  ],
});
