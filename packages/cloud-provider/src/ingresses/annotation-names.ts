import { ANNOTATION } from '../load-balancers/annotation-names.ts';

const OCTAVIA = 'octavia.ingress.kubernetes.io/';
const FAIRWAY = 'ingress.fairway.dev/';

/** The annotations of Ingresses that are acted upon: octavia-ingress-controller's (docs/octavia-ingress-controller/using-octavia-ingress-controller.md), one of GKE's, one of Services of type LoadBalancer, and Fairway's own. */
export const INGRESS_ANNOTATION = {
  internal: `${OCTAVIA}internal`,
  keepFloatingIP: `${OCTAVIA}keep-floatingip`,
  floatingIP: `${OCTAVIA}floatingip`,
  sourceRanges: `${OCTAVIA}whitelist-source-range`,
  timeoutClientData: `${OCTAVIA}timeout-client-data`,
  timeoutMemberConnect: `${OCTAVIA}timeout-member-connect`,
  timeoutMemberData: `${OCTAVIA}timeout-member-data`,
  timeoutTcpInspect: `${OCTAVIA}timeout-tcp-inspect`,
  allowHttp: 'kubernetes.io/ingress.allow-http',
  class: ANNOTATION.class,
  http: `${FAIRWAY}http`,
} as const;

const KNOWN: ReadonlySet<string> = new Set(Object.values(INGRESS_ANNOTATION));

/** Whether it looks like one of these and is none. */
export function isUnknownIngressAnnotation(name: string): boolean {
  return (name.startsWith(OCTAVIA) || name.startsWith(FAIRWAY)) && !KNOWN.has(name);
}
