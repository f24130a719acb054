import type { Ingress } from '@fairway/kube/kinds/generated/types';
import type { Route } from '../l7/route.ts';
import type { AnnotationReader } from '../load-balancers/annotation-reader.ts';
import { displayText } from '../load-balancers/display-text.ts';
import { ServiceRefused } from '../load-balancers/service-refused.ts';
import { INGRESS_ANNOTATION as ANNOTATION } from './annotation-names.ts';
import { type HttpHandling, httpsOnlyHosts, type TlsSpec } from './tls-traffic.ts';

/** Limit on Secrets: each certificate is copied to Barbican and to every amphora. */
const MAX_SECRETS = 20;
/** Limit on hosts: each host is a policy on port 80. */
const MAX_HOSTS = 200;

/** The TLS settings of `spec.tls`; undefined if unset. Throws ServiceRefused if limits are exceeded. Pure. */
export function tlsSpecFromIngress(
  { spec }: Ingress,
  routes: readonly Route[],
  reader: AnnotationReader,
): TlsSpec | undefined {
  const entries = spec.tls ?? [];
  const http = httpHandling(reader, entries.length > 0);
  if (entries.length === 0) return undefined;
  const secrets = [...new Set(entries.flatMap(({ secretName }) => secretName || []))];
  const hosts = new Set(entries.flatMap(({ hosts: each }) => (each?.length ? each.map(lowerCase) : [''])));
  requireWithinLimit('Secrets', secrets.length, MAX_SECRETS);
  requireWithinLimit('hosts', hosts.size, MAX_HOSTS);
  entries.forEach(({ secretName, hosts: each = [] }, index) => {
    if (secretName) return;
    const hostsText = each.length === 0 ? 'every host' : each.map(displayText).join(', ');
    reader.warn(
      'CertificateMissing',
      `spec.tls[${index}] specifies no Secret: no certificate is served for ${hostsText}`,
    );
  });
  const tls = { secrets, hosts: [...hosts], http };
  warnOfBlockedRoutes(routes, tls, reader);
  return tls;
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** GKE's annotation is used if Fairway's own is absent. */
function httpHandling(reader: AnnotationReader, hasTls: boolean): HttpHandling {
  const own = reader.oneOf(ANNOTATION.http, ['redirect', 'serve', 'none']);
  const isAllowed = reader.flag(ANNOTATION.allowHttp);
  if (!hasTls && (own ?? isAllowed) !== undefined) {
    const name = own === undefined ? ANNOTATION.allowHttp : ANNOTATION.http;
    reader.warn('InvalidAnnotation', `annotation ${name} has no effect without spec.tls`);
  }
  return own ?? (isAllowed === false ? 'none' : 'redirect');
}

function requireWithinLimit(what: string, count: number, limit: number): void {
  if (count <= limit) return;
  throw new ServiceRefused(
    `spec.tls: ${count} ${what}, but a load balancer can have at most ${limit}: create more Ingresses`,
  );
}

function warnOfBlockedRoutes(routes: readonly Route[], tls: TlsSpec, reader: AnnotationReader): void {
  if (tls.http !== 'redirect') return;
  const { blockedHosts } = httpsOnlyHosts({ routes, tls });
  if (blockedHosts.length === 0) return;
  reader.warn(
    'HttpNotRedirected',
    `requests on port 80 for ${blockedHosts.map(displayText).join(', ')} get a 503 response instead of a redirect: Octavia cannot redirect wildcard hosts; list the hosts in spec.tls and spec.rules`,
  );
}
