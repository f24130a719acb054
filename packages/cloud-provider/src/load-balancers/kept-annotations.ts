import { createHash } from 'node:crypto';
import { enforceLimits, type InClusterLimits } from '@fairway/api/limits/in-cluster';
import { annotationExcess, KEPT_ANNOTATIONS_ANNOTATION, refusedNames } from '@fairway/api/limits/service-limits';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { SERVICE_ANNOTATIONS } from './annotation-names.ts';

/** The annotations of a Service that take effect. */
export interface EffectiveAnnotations {
  /** The Service without refused annotations that its load balancer did not have before the limit. */
  readonly service: Service;
  /** The refused annotations that its load balancer keeps, for the record on the Service; undefined without a limit. */
  readonly record: string | undefined;
  /** Why other annotations have no effect. */
  readonly problem: string | undefined;
}

const NONE = 'none';

/**
 * Which of the annotations that the plan refuses take effect: those that an existing load balancer had when the limit
 * was first observed. Pure.
 */
export function effectiveAnnotations(
  service: Service,
  limits: InClusterLimits,
  { hasLoadBalancer, nowMs }: { readonly hasLoadBalancer: boolean; readonly nowMs: number },
): EffectiveAnnotations {
  const { annotations = {} } = service.metadata;
  const refused = (limits.services?.refusedAnnotations ?? []).flatMap((entry) => {
    const [refusal] = enforceLimits([annotationExcess(entry)], limits, nowMs).refusals;
    return refusal === undefined ? [] : [{ entry, refusal }];
  });
  if (refused.length === 0) return { service, record: undefined, problem: undefined };
  const entries = refused.map(({ entry }) => entry);
  const names = refusedNames(annotations, entries).filter((name) => SERVICE_ANNOTATIONS.has(name));
  const recorded = annotations[KEPT_ANNOTATIONS_ANNOTATION]?.split(',');
  const kept = names.filter((name) =>
    recorded === undefined ? hasLoadBalancer : recorded.includes(digestOf(name, annotations[name])),
  );
  const ignored = names.filter((name) => !kept.includes(name));
  const record = kept.map((name) => digestOf(name, annotations[name])).sort();
  const effective = Object.fromEntries(Object.entries(annotations).filter(([name]) => !ignored.includes(name)));
  const reasons = refused
    .filter(({ entry }) => refusedNames(annotations, [entry]).some((name) => ignored.includes(name)))
    .map(({ refusal }) => refusal);
  return {
    service: ignored.length === 0 ? service : { ...service, metadata: { ...service.metadata, annotations: effective } },
    record: record.length === 0 ? NONE : record.join(','),
    problem: ignored.length === 0 ? undefined : `annotation ${ignored.join(', ')} has no effect: ${reasons.join('; ')}`,
  };
}

/** A short digest: values may be long, and annotations have a limit. */
function digestOf(name: string, value: string | undefined): string {
  return createHash('sha256').update(`${name}=${value}`).digest('base64url').slice(0, 12);
}
