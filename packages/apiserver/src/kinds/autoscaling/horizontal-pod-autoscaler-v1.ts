import type {
  AutoscalingV2HorizontalPodAutoscaler,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerCondition,
  MetricSpec,
  MetricStatus,
} from '@fairway/kube/kinds/generated/types';
import { HorizontalPodAutoscalers, HorizontalPodAutoscalersV1 } from '@fairway/kube/kinds/resources';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { AGE, text } from '../printing/column.ts';
import { autoscalerErrors, formatTargets } from './horizontal-pod-autoscaler.ts';

/** autoscaling/v1 has one metric: CPU. Other metrics are kept in an annotation, as in upstream. */
const METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/metrics';
const CURRENT_METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/current-metrics';
const CONDITIONS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/conditions';
const BEHAVIOR_ANNOTATION = 'autoscaling.alpha.kubernetes.io/behavior';

function isCpuPercent(metric: MetricSpec): boolean {
  return metric.resource?.name === 'cpu' && metric.resource.target.averageUtilization !== undefined;
}

/**
 * Data that v1 has no fields for is kept in annotations. An annotation that is not valid JSON counts as missing: only a
 * user can have written it.
 */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function toAutoscalerV2(object: HorizontalPodAutoscaler): AutoscalingV2HorizontalPodAutoscaler {
  const { spec: wanted, status: reported, ...rest } = object;
  const { targetCPUUtilizationPercentage: target, ...spec } = wanted;
  const {
    [METRICS_ANNOTATION]: others,
    [BEHAVIOR_ANNOTATION]: behaviorText,
    [CURRENT_METRICS_ANNOTATION]: currentText,
    [CONDITIONS_ANNOTATION]: conditionsText,
    ...annotations
  } = object.metadata.annotations ?? {};
  const metrics = [
    ...(target === undefined ? [] : [cpuMetric(target)]),
    ...((parsed(others) as MetricSpec[] | undefined) ?? []),
  ];
  const behavior = parsed(behaviorText) as HorizontalPodAutoscalerBehavior | undefined;
  const conditions = parsed(conditionsText) as HorizontalPodAutoscalerCondition[] | undefined;
  const { currentCPUUtilizationPercentage: percent, ...status } = reported ?? {
    currentReplicas: 0,
    desiredReplicas: 0,
  };
  const currentMetrics = [
    ...(percent === undefined ? [] : [cpuStatus(percent)]),
    ...((parsed(currentText) as MetricStatus[] | undefined) ?? []),
  ];
  return {
    ...rest,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(object.metadata, annotations),
    spec: { ...spec, ...(metrics.length > 0 && { metrics }), ...(behavior && { behavior }) },
    ...(reported && {
      status: { ...status, ...(currentMetrics.length > 0 && { currentMetrics }), ...(conditions && { conditions }) },
    }),
  };
}

export function fromAutoscalerV2(object: AutoscalingV2HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { spec: wanted, status: reported, ...rest } = object;
  const { metrics = [], behavior, ...spec } = wanted;
  const { currentMetrics = [], conditions, ...status } = reported ?? { desiredReplicas: 0 };
  const cpu = metrics.find(isCpuPercent);
  const currentCpu = currentMetrics.find(({ resource }) => resource?.current.averageUtilization !== undefined);
  const percent = currentCpu?.resource?.current.averageUtilization;
  const kept = {
    [METRICS_ANNOTATION]: metrics.filter((metric) => metric !== cpu),
    [CURRENT_METRICS_ANNOTATION]: currentMetrics.filter((metric) => metric !== currentCpu),
    [CONDITIONS_ANNOTATION]: conditions ?? [],
  };
  const annotations = {
    ...object.metadata.annotations,
    ...Object.fromEntries(
      Object.entries(kept).flatMap(([name, list]) => (list.length > 0 ? [[name, JSON.stringify(list)]] : [])),
    ),
    ...(behavior && { [BEHAVIOR_ANNOTATION]: JSON.stringify(behavior) }),
  };
  const target = cpu?.resource?.target.averageUtilization;
  return {
    ...rest,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(object.metadata, annotations),
    spec: { ...spec, ...(target !== undefined && { targetCPUUtilizationPercentage: target }) },
    ...(reported && {
      status: {
        currentReplicas: 0,
        ...status,
        ...(percent !== undefined && { currentCPUUtilizationPercentage: percent }),
      },
    }),
  };
}

function cpuMetric(percent: number): MetricSpec {
  const target = { type: 'Utilization', averageUtilization: percent };
  return { type: 'Resource', resource: { name: 'cpu', target } };
}

function cpuStatus(percent: number): MetricStatus {
  return { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: percent, averageValue: '0' } } };
}

function withAnnotations<M extends { annotations?: Record<string, string> }>(
  metadata: M,
  wanted: Record<string, string>,
): M {
  const { annotations: _annotations, ...rest } = metadata;
  return (Object.keys(wanted).length === 0 ? rest : { ...rest, annotations: wanted }) as M;
}

export const HorizontalPodAutoscalerV1Kind = defineKind(HorizontalPodAutoscalersV1, {
  definition: 'io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler',
  shortNames: ['hpa'],
  categories: ['all'],
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    default({ spec }) {
      setDefaults(spec, { minReplicas: 1 });
    },
    prepareForCreate(autoscaler) {
      autoscaler.status = { currentReplicas: 0, desiredReplicas: 0 };
    },
    validate: (object) => autoscalerErrors(toAutoscalerV2(object)),
  },
  columns: [
    text('Reference', ({ spec }) => `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`),
    text('Targets', (object) => formatTargets(toAutoscalerV2(object))),
    text('MinPods', ({ spec }) => `${spec.minReplicas ?? '<unset>'}`),
    text('MaxPods', '.spec.maxReplicas'),
    text('Replicas', ({ status }) => status?.currentReplicas ?? 0),
    AGE,
  ],
  storedAs: {
    group: HorizontalPodAutoscalers.group,
    plural: HorizontalPodAutoscalers.plural,
    toStored: (object) => toAutoscalerV2(object as HorizontalPodAutoscaler),
    fromStored: (object) => fromAutoscalerV2(object as AutoscalingV2HorizontalPodAutoscaler),
  },
});
