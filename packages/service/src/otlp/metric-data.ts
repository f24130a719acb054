import { type HrTime, ValueType } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';

/** A metric from prom-client (`getMetricsAsJSON`), with its type as a string. */
export interface ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly {
    /** For histograms, ends with `_bucket`, `_sum` or `_count`. */
    readonly metricName?: string;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
  }[];
}

export interface MetricPeriod {
  /** When counting started. */
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Converts Prometheus metrics to OpenTelemetry, with the same names, labels and numbers, counted since the start of the
 * process. Pure.
 */
export function metricData(metrics: readonly ReadMetric[], span: MetricPeriod): MetricData[] {
  return metrics.flatMap((metric): MetricData[] => {
    const { name, help: description, type } = metric;
    const common = {
      descriptor: { name, description, unit: '', valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    if (metric.values.length === 0) return [];
    switch (type) {
      case 'counter':
        return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: numbers(metric, span) }];
      case 'gauge':
        return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints: numbers(metric, span) }];
      case 'histogram':
        return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(metric, span) }];
      default:
        return [];
    }
  });
}

/** Values that are not numbers are omitted: JSON cannot represent them. */
function numbers({ values }: ReadMetric, span: MetricPeriod): DataPoint<number>[] {
  return values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ ...timesOf(span), attributes: labels, value }));
}

function histograms({ name, values }: ReadMetric, span: MetricPeriod): DataPoint<Histogram>[] {
  const bySeries = Map.groupBy(values, ({ labels }) => JSON.stringify({ ...labels, le: undefined }));
  return [...bySeries].map(([key, parts]) => {
    const valueOf = (suffix: string) => parts.find(({ metricName }) => metricName === `${name}${suffix}`)?.value ?? 0;
    const buckets = parts
      .filter(({ metricName, labels }) => metricName === `${name}_bucket` && labels['le'] !== '+Inf')
      .map(({ labels, value }) => ({ bound: Number(labels['le']), below: value }))
      .toSorted((a, b) => a.bound - b.bound);
    const count = valueOf('_count');
    // Prometheus counts everything below a bound, OpenTelemetry counts everything between two bounds.
    const cumulative = [...buckets.map(({ below }) => below), count];
    const counts = cumulative.map((below, index) => below - (cumulative[index - 1] ?? 0));
    const value = { buckets: { boundaries: buckets.map(({ bound }) => bound), counts }, sum: valueOf('_sum'), count };
    return { ...timesOf(span), attributes: JSON.parse(key) as Record<string, string>, value };
  });
}

function timesOf({ fromMs, toMs }: MetricPeriod): { readonly startTime: HrTime; readonly endTime: HrTime } {
  return { startTime: hrTime(fromMs), endTime: hrTime(toMs) };
}

function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}
