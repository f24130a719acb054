import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';

export interface ProcessIdentity {
  /** Identifies this process, for example by the name of its Lease. */
  readonly instance?: string | undefined;
  readonly version: string;
}

/** The sender, as receivers display it; OpenTelemetry's variables override it. */
export function processResource({ instance, version }: ProcessIdentity): Resource {
  const processAttributes = {
    'service.name': 'fairway',
    'service.version': version,
    ...(instance !== undefined && { 'service.instance.id': instance }),
  };
  const environmentResource = detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] });
  return resourceFromAttributes(processAttributes).merge(environmentResource);
}
