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
    if (refusedNames(annotations, [refused]).length > 0) found.push(annotationExcess(refused));
  }
  const provider = annotations[PROVIDER_ANNOTATION]?.trim() ?? '';
  if (loadBalancerProviders && provider !== '' && !loadBalancerProviders.includes(provider)) {
    found.push(providerExcess(loadBalancerProviders, provider));
  }
  return found;
}

/** The names of the annotations that the entries refuse. Pure. */
export function refusedNames(annotations: Annotations, refused: readonly RefusedAnnotation[]): readonly string[] {
  const isRefused = (name: string, value: string) =>
    refused.some(
      ({ key, values }) => matches(key, name) && (values === undefined || values.some((each) => matches(each, value))),
    );
  return Object.entries(annotations)
    .filter(([name, value]) => !isRecorded(annotations, name) && isRefused(name, value))
    .map(([name]) => name);
}

function isRecorded(annotations: Annotations, name: string): boolean {
  const isOwnID = name === LOAD_BALANCER_ID_ANNOTATION && annotations[name] === annotations[OWN_ID_ANNOTATION];
  return isOwnID || RECORDED_ANNOTATIONS.includes(name);
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

/** `provider`: undefined for any that is not allowed. */
export function providerExcess(allowed: readonly string[], provider?: string): Excess {
  return {
    limit: 'services.loadBalancerProviders',
    ...(provider !== undefined && { value: provider }),
    problem: `metadata.annotations: ${PROVIDER_ANNOTATION} must be ${allowed.join(' or ')} by the cluster's plan: use it, or remove the annotation`,
  };
}
