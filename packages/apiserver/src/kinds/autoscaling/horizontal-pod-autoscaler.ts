import type {
  AutoscalingV2HorizontalPodAutoscaler,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
} from '@fairway/kube/kinds/generated/types';
import { HorizontalPodAutoscalers } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { forbidden, invalidValue, oneOf, required } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';
import { canonicalQuantity } from '../quantities.ts';

const DEFAULT_CPU_PERCENT = 80;
const POLICY_PERIOD_SECONDS = 15;
const METRIC_TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

function defaultMetrics(): MetricSpec[] {
  const target = { type: 'Utilization', averageUtilization: DEFAULT_CPU_PERCENT };
  return [{ type: 'Resource', resource: { name: 'cpu', target } }];
}

function canonicalizeTarget(metric: MetricSpec): void {
  const sources = [metric.resource, metric.containerResource, metric.pods, metric.object, metric.external];
  for (const source of sources) {
    if (source?.target?.value !== undefined) source.target.value = canonicalQuantity(source.target.value);
    if (source?.target?.averageValue === undefined) continue;
    source.target.averageValue = canonicalQuantity(source.target.averageValue);
  }
}

/** Fills in a scaling behavior that the client has set only in part, using upstream's default rules. */
function defaultBehavior(rules: HPAScalingRules | undefined, direction: 'up' | 'down'): HPAScalingRules {
  const percent = { type: 'Percent', value: 100, periodSeconds: POLICY_PERIOD_SECONDS };
  const pods = { type: 'Pods', value: 4, periodSeconds: POLICY_PERIOD_SECONDS };
  return {
    ...(direction === 'up' && { stabilizationWindowSeconds: 0 }),
    selectPolicy: 'Max',
    policies: direction === 'up' ? [pods, percent] : [percent],
    ...rules,
  };
}

/** Upstream's ValidateHorizontalPodAutoscaler. */
export function autoscalerErrors({ spec }: AutoscalingV2HorizontalPodAutoscaler): FieldError[] {
  const errors: FieldError[] = [];
  const { minReplicas = 1, maxReplicas, scaleTargetRef } = spec;
  if (minReplicas < 1) errors.push(invalidValue('spec.minReplicas', minReplicas, 'must be greater than or equal to 1'));
  if (!(maxReplicas > 0)) errors.push(required('spec.maxReplicas', 'must be set and greater than 0'));
  if (maxReplicas < minReplicas) {
    const detail = 'must be greater than or equal to `minReplicas`';
    errors.push(invalidValue('spec.maxReplicas', maxReplicas, detail));
  }
  if (!scaleTargetRef?.apiVersion?.includes('/')) {
    const detail = 'apiVersion must specify API group';
    const value = scaleTargetRef?.apiVersion ?? '';
    if (value !== 'v1') errors.push(invalidValue('spec.scaleTargetRef.apiVersion', value, detail));
  }
  if (!scaleTargetRef?.kind) errors.push(required('spec.scaleTargetRef.kind'));
  if (!scaleTargetRef?.name) errors.push(required('spec.scaleTargetRef.name'));
  for (const [index, metric] of (spec.metrics ?? []).entries()) {
    errors.push(...metricErrors(metric, `spec.metrics[${index}]`));
  }
  return errors;
}

function metricErrors(metric: MetricSpec, path: string): FieldError[] {
  const errors = oneOf(`${path}.type`, metric.type, METRIC_TYPES, true);
  if (errors.length > 0) return errors;
  const source = `${metric.type.charAt(0).toLowerCase()}${metric.type.slice(1)}`;
  const givenSources = Object.keys(metric).filter((field) => field !== 'type');
  if (!givenSources.includes(source)) {
    errors.push(required(`${path}.${source}`, `must populate information for the given metric source`));
  }
  for (const other of givenSources) {
    if (other === source) continue;
    errors.push(forbidden(`${path}.${other}`, 'must populate the given metric source only'));
  }
  return errors;
}

/** `cpu: 12%/80%`: current and target values of the first two metrics. */
export function formatTargets({ spec, status }: AutoscalingV2HorizontalPodAutoscaler): string {
  const metrics = spec.metrics ?? [];
  if (metrics.length === 0) return '<none>';
  const shown = metrics.slice(0, 2).map((metric, index) => target(metric, status?.currentMetrics?.[index]));
  return metrics.length > 2 ? `${shown.join(', ')} + ${metrics.length - 2} more...` : shown.join(', ');
}

function target(metric: MetricSpec, current: MetricStatus | undefined): string {
  switch (metric.type) {
    case 'Resource': {
      const { name = '', target } = metric.resource ?? {};
      const now = current?.resource?.current;
      if (target?.averageValue !== undefined)
        return `${name}: ${now?.averageValue ?? '<unknown>'}/${target.averageValue}`;
      const percent = now?.averageUtilization === undefined ? '<unknown>' : `${now.averageUtilization}%`;
      return `${name}: ${percent}/${target?.averageUtilization ?? '<auto>'}%`;
    }
    case 'Pods':
      return `${current?.pods?.current.averageValue ?? '<unknown>'}/${metric.pods?.target.averageValue}`;
    case 'Object': {
      const metricTarget = metric.object?.target;
      return `${current?.object?.current.value ?? '<unknown>'}/${metricTarget?.value ?? metricTarget?.averageValue}`;
    }
    case 'External': {
      const metricTarget = metric.external?.target;
      const now = current?.external?.current;
      if (metricTarget?.averageValue === undefined) return `${now?.value ?? '<unknown>'}/${metricTarget?.value}`;
      return `${now?.averageValue ?? '<unknown>'}/${metricTarget.averageValue} (avg)`;
    }
    default:
      return '<unknown type>';
  }
}

export const HorizontalPodAutoscalerKind = defineKind(HorizontalPodAutoscalers, {
  definition: 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  shortNames: ['hpa'],
  categories: ['all'],
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    default({ spec }) {
      setDefaults(spec, { minReplicas: 1 });
      if (!spec.metrics?.length) spec.metrics = defaultMetrics();
      for (const metric of spec.metrics) canonicalizeTarget(metric);
      if (spec.behavior === undefined) return;
      spec.behavior = {
        scaleUp: defaultBehavior(spec.behavior.scaleUp, 'up'),
        scaleDown: defaultBehavior(spec.behavior.scaleDown, 'down'),
      };
    },
    prepareForCreate(autoscaler) {
      autoscaler.status = { desiredReplicas: 0 };
    },
    validate: autoscalerErrors,
  },
  columns: [
    text('Reference', ({ spec }) => `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`),
    text('Targets', formatTargets),
    text('MinPods', ({ spec }) => `${spec.minReplicas ?? '<unset>'}`),
    text('MaxPods', '.spec.maxReplicas'),
    text('Replicas', ({ status }) => status?.currentReplicas ?? 0),
    AGE,
  ],
});
