import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';

export interface ProcessIdentity {
  /** Of this process, such as its Lease's. */
  readonly instance?: string | undefined;
  readonly version: string;
}

/** Who sends, as receivers show it; OpenTelemetry's variables may say otherwise. */
export function processResource({ instance, version }: ProcessIdentity): Resource {
  const own = {
    'service.name': 'fairway',
    'service.version': version,
    ...(instance !== undefined && { 'service.instance.id': instance }),
  };
  const named = detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] });
  return resourceFromAttributes(own).merge(named);
}
