import { FAIRWAY_VERSION } from '../version.ts';
import type { MetricsPusher } from './metrics-pusher.ts';
import type { MetricsPushSettings } from './metrics-settings.ts';
import type { MetricsPushOptions } from './push-metrics.ts';

/** Loads OpenTelemetry only if metrics are pushed. */
export async function pushMetricsIfConfigured(
  settings: MetricsPushSettings | undefined,
  options: Omit<MetricsPushOptions, 'version'>,
): Promise<MetricsPusher | undefined> {
  if (settings === undefined) return undefined;
  const { pushMetrics } = await import('./push-metrics.ts');
  return pushMetrics(settings, { ...options, version: FAIRWAY_VERSION });
}
