const OCTAVIA = 'octavia.ingress.kubernetes.io/';

/** The annotations of Ingresses that are acted upon: octavia-ingress-controller's (docs/octavia-ingress-controller/using-octavia-ingress-controller.md). */
export const INGRESS_ANNOTATION = {
  internal: `${OCTAVIA}internal`,
  keepFloatingIP: `${OCTAVIA}keep-floatingip`,
  floatingIP: `${OCTAVIA}floatingip`,
  sourceRanges: `${OCTAVIA}whitelist-source-range`,
  timeoutClientData: `${OCTAVIA}timeout-client-data`,
  timeoutMemberConnect: `${OCTAVIA}timeout-member-connect`,
  timeoutMemberData: `${OCTAVIA}timeout-member-data`,
  timeoutTcpInspect: `${OCTAVIA}timeout-tcp-inspect`,
} as const;

const KNOWN: ReadonlySet<string> = new Set(Object.values(INGRESS_ANNOTATION));

/** Whether it looks like one of these and is none. */
export function isUnknownIngressAnnotation(name: string): boolean {
  return name.startsWith(OCTAVIA) && !KNOWN.has(name);
}
