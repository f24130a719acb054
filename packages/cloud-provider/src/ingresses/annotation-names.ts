import { routedRestrictionOf } from '../l7/routed-restrictions.ts';
import { ANNOTATION } from '../load-balancers/annotation-names.ts';
import type { AnnotationRules } from '../load-balancers/annotation-reader.ts';
import { isIngressAnnotation } from '../load-balancers/unread-annotations.ts';

const OCTAVIA_PREFIX = 'octavia.ingress.kubernetes.io/';
const FAIRWAY_PREFIX = 'ingress.fairway.dev/';

/**
 * The supported annotations of Ingresses: those of octavia-ingress-controller
 * (docs/octavia-ingress-controller/using-octavia-ingress-controller.md), one from GKE, one from Services of type
 * LoadBalancer, and Fairway's own annotations.
 */
export const INGRESS_ANNOTATION = {
  internal: `${OCTAVIA_PREFIX}internal`,
  keepFloatingIP: `${OCTAVIA_PREFIX}keep-floatingip`,
  floatingIP: `${OCTAVIA_PREFIX}floatingip`,
  sourceRanges: `${OCTAVIA_PREFIX}whitelist-source-range`,
  timeoutClientData: `${OCTAVIA_PREFIX}timeout-client-data`,
  timeoutMemberConnect: `${OCTAVIA_PREFIX}timeout-member-connect`,
  timeoutMemberData: `${OCTAVIA_PREFIX}timeout-member-data`,
  timeoutTcpInspect: `${OCTAVIA_PREFIX}timeout-tcp-inspect`,
  allowHttp: 'kubernetes.io/ingress.allow-http',
  class: ANNOTATION.class,
  http: `${FAIRWAY_PREFIX}http`,
} as const;

/** Rules for reading the annotations of an Ingress. */
export const INGRESS_RULES: AnnotationRules = {
  known: new Set(Object.values(INGRESS_ANNOTATION)),
  tuning: new Set([
    INGRESS_ANNOTATION.timeoutClientData,
    INGRESS_ANNOTATION.timeoutMemberConnect,
    INGRESS_ANNOTATION.timeoutMemberData,
    INGRESS_ANNOTATION.timeoutTcpInspect,
  ]),
  isOfKind: isIngressAnnotation,
  restrictionOf: routedRestrictionOf,
};
