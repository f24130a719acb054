import type { Service } from '@fairway/kube/kinds/generated/types';
import { matches } from '../domain/plan-allowance.ts';
import type { PlanServices, RefusedAnnotation, ServiceIPFamily } from '../kinds/plan-services.ts';
import type { Excess } from './in-cluster.ts';

/** Annotation that selects the Octavia provider of a load balancer. */
export const PROVIDER_ANNOTATION = 'loadbalancer.fairway.dev/provider';
/** Annotation that selects another Service's load balancer; otherwise Fairway records the Service's own ID in it. */
export const LOAD_BALANCER_ID_ANNOTATION = 'loadbalancer.openstack.org/load-balancer-id';
/** Annotation in which Fairway records the address of the load balancer. */
export const ADDRESS_ANNOTATION = 'loadbalancer.openstack.org/load-balancer-address';
/** Annotation in which Fairway records the ID of the Service's own load balancer. */
export const OWN_ID_ANNOTATION = 'fairway.dev/load-balancer-id';
/** Annotation in which Fairway records the refused annotations that an existing load balancer keeps. */
export const KEPT_ANNOTATIONS_ANNOTATION = 'fairway.dev/kept-load-balancer-annotations';

/** Fairway's own annotations, which no plan refuses. */
export const RECORDED_ANNOTATIONS: readonly string[] = [
  ADDRESS_ANNOTATION,
  OWN_ID_ANNOTATION,
  KEPT_ANNOTATIONS_ANNOTATION,
];

/**
 * How many annotations a Service of type LoadBalancer may have if the plan refuses any by pattern. Kubernetes limits the
 * cost of policies, which grows with patterns and annotations, and ignores a policy that exceeds it.
 */
export const MAX_ANNOTATIONS = 500;

/** Longer values of an annotation that is limited by its value are refused without a comparison, for the same reason. */
export const MAX_COMPARED_CHARACTERS = 1000;

type ServiceParts = Pick<Service, 'metadata' | 'spec'>;
type Annotations = Readonly<Record<string, string>>;

/** How a Service exceeds the limits; the policy in the cluster has the same rules (addons/src/limits). Pure. */
export function serviceExcesses({ metadata, spec }: ServiceParts, services: PlanServices | undefined): Excess[] {
  const { types, ipFamilies, refusedAnnotations = [], loadBalancerProviders } = services ?? {};
  const type = spec.type ?? 'ClusterIP';
  const family = familyOf(spec);
  const found: Excess[] = [];
  if (types && !types.some((each) => each === type)) found.push(typeExcess(type, types));
  if (ipFamilies && family !== undefined && !ipFamilies.includes(family)) found.push(familyExcess(family, ipFamilies));
  if (type !== 'LoadBalancer') return found;
  const { annotations = {} } = metadata;
  for (const refused of refusedAnnotations) {
    if (refusedNames(annotations, refused).length > 0) found.push(annotationExcess(refused));
  }
  const hasTooMany = Object.keys(annotations).length > MAX_ANNOTATIONS;
  if (refusedAnnotations.some(hasPattern) && hasTooMany) found.push(tooManyAnnotationsExcess());
  const provider = annotations[PROVIDER_ANNOTATION]?.trim() ?? '';
  if (loadBalancerProviders && provider !== '' && !loadBalancerProviders.includes(provider)) {
    found.push(providerExcess(loadBalancerProviders, provider));
  }
  return found;
}

/**
 * The names of the annotations that the entry refuses. `namesOwnLoadBalancer`: whether `load-balancer-id` is only
 * Fairway's record, rather than a request to share another load balancer. Pure.
 */
export function refusedNames(
  annotations: Annotations,
  { key, values }: RefusedAnnotation,
  namesOwnLoadBalancer = annotations[LOAD_BALANCER_ID_ANNOTATION] === annotations[OWN_ID_ANNOTATION],
): readonly string[] {
  const isRecorded = (name: string) =>
    RECORDED_ANNOTATIONS.includes(name) || (name === LOAD_BALANCER_ID_ANNOTATION && namesOwnLoadBalancer);
  return Object.entries(annotations)
    .filter(([name, value]) => matches(key, name) && isRefusedValue(values, value) && !isRecorded(name))
    .map(([name]) => name);
}

/** Controllers ignore surrounding spaces and, for most annotations, the case. */
function isRefusedValue(refused: readonly string[] | undefined, value: string): boolean {
  if (Array.from(value).length > MAX_COMPARED_CHARACTERS) return true;
  const read = value.trim().toLowerCase();
  return refused === undefined || refused.some((pattern) => matches(pattern.toLowerCase(), read));
}

/** Undefined for Services without addresses. */
function familyOf({ ipFamilies = [], ipFamilyPolicy }: ServiceParts['spec']): ServiceIPFamily | undefined {
  if (ipFamilies.length > 1 || ipFamilyPolicy === 'RequireDualStack') return 'DualStack';
  const [family] = ipFamilies;
  return family === 'IPv4' || family === 'IPv6' ? family : undefined;
}

export function typeExcess(type: string, allowed: readonly string[]): Excess {
  return {
    limit: 'services.types',
    value: type,
    problem: `spec.type: ${type} is not allowed by the cluster's plan: use ${allowed.join(' or ')}`,
  };
}

export function familyExcess(family: ServiceIPFamily, allowed: readonly ServiceIPFamily[]): Excess {
  const single = allowed.filter((each) => each !== 'DualStack');
  const alternatives = [
    ...(single.length > 0 ? [`ipFamilyPolicy SingleStack with ${single.join(' or ')}`] : []),
    ...(allowed.includes('DualStack') ? ['ipFamilyPolicy RequireDualStack'] : []),
  ];
  return {
    limit: 'services.ipFamilies',
    value: family,
    problem: `spec.ipFamilies: ${family} is not allowed for Services by the cluster's plan: use ${alternatives.join(', or ')}`,
  };
}

export function annotationExcess({ key, values }: RefusedAnnotation): Excess {
  const what = values === undefined ? key : `${key} with the value ${values.join(' or ')}`;
  const advice = values === undefined ? 'remove it' : 'use another value, or remove it';
  return {
    limit: 'services.refusedAnnotations',
    value: key,
    problem: `metadata.annotations: ${what} is not allowed for Services of type LoadBalancer by the cluster's plan: ${advice}`,
  };
}

/** Whether the policy in the cluster must compare the entry with each annotation of a Service. Pure. */
export function hasPattern({ key }: RefusedAnnotation): boolean {
  return key.includes('*');
}

export function tooManyAnnotationsExcess(): Excess {
  return {
    limit: 'services.refusedAnnotations',
    problem: `metadata.annotations: Services of type LoadBalancer have at most ${MAX_ANNOTATIONS} annotations, which the cluster's plan limits: remove some`,
  };
}

/** `provider`: undefined for any that is not allowed. */
export function providerExcess(allowed: readonly string[], provider?: string): Excess {
  return {
    limit: 'services.loadBalancerProviders',
    ...(provider !== undefined && { value: provider }),
    problem: `metadata.annotations: ${PROVIDER_ANNOTATION} must be ${allowed.join(' or ')} by the cluster's plan: use it, or remove the annotation`,
  };
}
