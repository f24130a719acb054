import { createHash } from 'node:crypto';
import type { RefusedAnnotation } from '@fairway/api/kinds/plan-services';
import { enforceLimits, type InClusterLimits } from '@fairway/api/limits/in-cluster';
import {
  annotationExcess,
  LOAD_BALANCER_ID_ANNOTATION,
  PROVIDER_ANNOTATION,
  providerExcess,
  refusedNames,
} from '@fairway/api/limits/service-limits';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { SERVICE_ANNOTATIONS } from './annotation-names.ts';
import { isSameProvider } from './plan.ts';

/** What is known about the load balancer of a Service. */
export interface LoadBalancerFacts {
  readonly hasLoadBalancer: boolean;
  /** The provider of the Service's own load balancer; undefined if it has none. */
  readonly provider: string | undefined;
  /** Whether the annotation `load-balancer-id` names a load balancer that the Service owns, or that does not exist. */
  readonly namesOwnLoadBalancer: boolean;
  /** The record of an earlier call for the Service. */
  readonly record: string | undefined;
}

/** The annotations of a Service that take effect. */
export interface EffectiveAnnotations {
  /** The Service without refused annotations that its load balancer did not have before the limit. */
  readonly service: Service;
  /** The refused annotations that its load balancer keeps, for each limit; undefined without a limit. */
  readonly record: string | undefined;
  /** Why other annotations have no effect. */
  readonly problem: string | undefined;
}

/** An annotation limit in force. */
interface ActiveLimit {
  readonly entry: RefusedAnnotation;
  readonly refusal: string;
}

/**
 * Which of the annotations that the plan refuses take effect: those that an existing load balancer had when the
 * respective limit was first observed. Pure.
 */
export function effectiveAnnotations(
  service: Service,
  limits: InClusterLimits,
  { facts, nowMs }: { readonly facts: LoadBalancerFacts; readonly nowMs: number },
): EffectiveAnnotations {
  const { annotations = {} } = service.metadata;
  const refusals = new Map<string, string>();
  const providerRefusal = refusalOfProvider(annotations[PROVIDER_ANNOTATION], facts.provider, limits, nowMs);
  if (providerRefusal !== undefined) refusals.set(PROVIDER_ANNOTATION, providerRefusal);
  const active = activeLimits(limits, nowMs);
  const recorded = parseRecord(facts.record);
  const isNew = ({ entry }: ActiveLimit) => !recorded.has(entryDigest(entry));
  const kept = new Map<string, readonly string[]>();
  // What an older limit refuses had no effect when a newer limit was first observed.
  for (const limit of [...active.filter((each) => !isNew(each)), ...active.filter(isNew)]) {
    const { entry, refusal } = limit;
    const names = refusedNames(annotations, entry, facts.namesOwnLoadBalancer).filter((name) =>
      SERVICE_ANNOTATIONS.has(name),
    );
    const keptDigests = recorded.get(entryDigest(entry));
    const isKept = (name: string) =>
      keptDigests === undefined
        ? facts.hasLoadBalancer && !refusals.has(name)
        : keptDigests.includes(annotationDigest(name, annotations[name]));
    kept.set(
      entryDigest(entry),
      names.filter(isKept).map((name) => annotationDigest(name, annotations[name])),
    );
    for (const name of names) if (!isKept(name)) refusals.set(name, refusals.get(name) ?? refusal);
  }
  const record = kept.size === 0 ? undefined : formatRecord(kept);
  if (refusals.size === 0) return { service, record, problem: undefined };
  const effective = Object.fromEntries(Object.entries(annotations).filter(([name]) => !refusals.has(name)));
  return {
    service: { ...service, metadata: { ...service.metadata, annotations: effective } },
    record,
    problem: `annotation ${[...refusals.keys()].join(', ')} has no effect: ${[...new Set(refusals.values())].join('; ')}`,
  };
}

function activeLimits(limits: InClusterLimits, nowMs: number): ActiveLimit[] {
  return (limits.services?.refusedAnnotations ?? []).flatMap((entry) => {
    const [refusal] = enforceLimits([annotationExcess(entry)], limits, nowMs).refusals;
    return refusal === undefined ? [] : [{ entry, refusal }];
  });
}

/** Why an existing load balancer is not replaced by one of another provider. */
function refusalOfProvider(
  annotation: string | undefined,
  present: string | undefined,
  limits: InClusterLimits,
  nowMs: number,
): string | undefined {
  const { loadBalancerProviders: allowed } = limits.services ?? {};
  const wanted = annotation?.trim() ?? '';
  if (allowed === undefined || wanted === '' || allowed.includes(wanted)) return undefined;
  if (present !== undefined && isSameProvider(wanted, present)) return undefined;
  return enforceLimits([providerExcess(allowed, wanted)], limits, nowMs).refusals[0];
}

/** `ENTRY:ANNOTATION.ANNOTATION,ENTRY:`, each a digest. */
function formatRecord(kept: ReadonlyMap<string, readonly string[]>): string {
  return [...kept]
    .map(([entry, digests]) => `${entry}:${digests.toSorted().join('.')}`)
    .sort()
    .join(',');
}

function parseRecord(record: string | undefined): ReadonlyMap<string, readonly string[]> {
  const parts = record === undefined ? [] : record.split(',');
  return new Map(
    parts.map((part) => {
      const [entry = '', digests = ''] = part.split(':');
      return [entry, digests.split('.')];
    }),
  );
}

function entryDigest({ key, values }: RefusedAnnotation): string {
  return digestOf(JSON.stringify([key, values?.toSorted()]));
}

/** Fairway itself changes the ID when a shared load balancer is replaced. */
function annotationDigest(name: string, value: string | undefined): string {
  return digestOf(name === LOAD_BALANCER_ID_ANNOTATION ? name : `${name}=${value}`);
}

/** A short digest: values may be long, and annotations have a limit. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
