import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';

export interface ProcessIdentity {
  /** Of this process, for example the name of its Lease. */
  readonly instance?: string | undefined;
  readonly version: string;
}

/** The sender, as shown by receivers; OpenTelemetry's variables override it. */
export function processResource({ instance, version }: ProcessIdentity): Resource {
  const own = {
    'service.name': 'fairway',
    'service.version': version,
    ...(instance !== undefined && { 'service.instance.id': instance }),
  };
  const named = detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] });
  return resourceFromAttributes(own).merge(named);
}
