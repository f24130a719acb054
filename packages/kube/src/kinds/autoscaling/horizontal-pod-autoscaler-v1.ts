import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import type { AutoscalingV2HorizontalPodAutoscaler, HorizontalPodAutoscaler, MetricSpec } from '../generated/types.ts';
import { AGE, count, text } from '../printing/column.ts';
import { HorizontalPodAutoscalers, HorizontalPodAutoscalersV1 } from '../resources.ts';
import { autoscalerErrors, DEFAULT_CPU_PERCENT, formatTargets } from './horizontal-pod-autoscaler.ts';

/** autoscaling/v1 knows one metric: the CPU. Others are kept in an annotation, as upstream keeps them. */
const METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/metrics';
const BEHAVIOR_ANNOTATION = 'autoscaling.alpha.kubernetes.io/behavior';

function isCpuPercent(metric: MetricSpec): boolean {
  return metric.resource?.name === 'cpu' && metric.resource.target.averageUtilization !== undefined;
}

export function toAutoscalerV2(object: HorizontalPodAutoscaler): AutoscalingV2HorizontalPodAutoscaler {
  const { targetCPUUtilizationPercentage, ...spec } = object.spec;
  const {
    [METRICS_ANNOTATION]: others,
    [BEHAVIOR_ANNOTATION]: behavior,
    ...annotations
  } = object.metadata.annotations ?? {};
  const metrics: MetricSpec[] = others === undefined ? [] : (JSON.parse(others) as MetricSpec[]);
  if (targetCPUUtilizationPercentage !== undefined) {
    const target = { type: 'Utilization', averageUtilization: targetCPUUtilizationPercentage };
    metrics.unshift({ type: 'Resource', resource: { name: 'cpu', target } });
  }
  const { currentCPUUtilizationPercentage: percent, ...status } = object.status ?? {
    currentReplicas: 0,
    desiredReplicas: 0,
  };
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(object.metadata, annotations),
    spec: {
      ...spec,
      ...(metrics.length > 0 && { metrics }),
      ...(behavior !== undefined && { behavior: JSON.parse(behavior) as object }),
    },
    ...(object.status && {
      status: {
        ...status,
        ...(percent !== undefined && {
          currentMetrics: [
            {
              type: 'Resource',
              resource: { name: 'cpu', current: { averageUtilization: percent, averageValue: '0' } },
            },
          ],
        }),
      },
    }),
  };
}

export function fromAutoscalerV2(object: AutoscalingV2HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { spec: wanted, status: before, ...rest } = object;
  const { metrics = [], behavior, ...spec } = wanted;
  const cpu = metrics.find(isCpuPercent);
  const others = metrics.filter((metric) => metric !== cpu);
  const annotations = {
    ...object.metadata.annotations,
    ...(others.length > 0 && { [METRICS_ANNOTATION]: JSON.stringify(others) }),
    ...(behavior && { [BEHAVIOR_ANNOTATION]: JSON.stringify(behavior) }),
  };
  const { currentMetrics, conditions: _conditions, ...status } = before ?? { desiredReplicas: 0 };
  const percent = currentMetrics?.find(({ resource }) => resource?.name === 'cpu')?.resource?.current
    .averageUtilization;
  return {
    ...rest,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(object.metadata, annotations),
    spec: {
      ...spec,
      ...(cpu && { targetCPUUtilizationPercentage: cpu.resource?.target.averageUtilization ?? DEFAULT_CPU_PERCENT }),
    },
    ...(before && {
      status: {
        currentReplicas: 0,
        ...status,
        ...(percent !== undefined && { currentCPUUtilizationPercentage: percent }),
      },
    }),
  };
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
    count('MaxPods', '.spec.maxReplicas'),
    count('Replicas', ({ status }) => status?.currentReplicas ?? 0),
    AGE,
  ],
  storedAs: {
    group: HorizontalPodAutoscalers.group,
    plural: HorizontalPodAutoscalers.plural,
    toStored: (object) => toAutoscalerV2(object as HorizontalPodAutoscaler),
    fromStored: (object) => fromAutoscalerV2(object as AutoscalingV2HorizontalPodAutoscaler),
  },
});
