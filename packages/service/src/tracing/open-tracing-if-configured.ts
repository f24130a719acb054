import { FAIRWAY_VERSION } from '../version.ts';
import type { Tracing, TracingOptions } from './open-tracing.ts';
import type { TracingSettings } from './tracing-settings.ts';

/** Loads OpenTelemetry only if tracing is configured. */
export async function openTracingIfConfigured(
  settings: TracingSettings | undefined,
  options: Omit<TracingOptions, 'version'>,
): Promise<Tracing | undefined> {
  if (settings === undefined) return undefined;
  const { openTracing } = await import('./open-tracing.ts');
  return openTracing(settings, { ...options, version: FAIRWAY_VERSION });
}
