import type { Ingress } from '@fairway/kube/kinds/generated/types';
import type { Route } from '../l7/route.ts';
import { type AnnotationReader, shown } from '../load-balancers/annotation-reader.ts';
import { ServiceRefused } from '../load-balancers/service-refused.ts';
import { INGRESS_ANNOTATION as ANNOTATION } from './annotation-names.ts';
import { closedHosts, type HttpHandling, type TlsWishes } from './tls-traffic.ts';

/** Each is a copy in Barbican, and one in every amphora. */
const MAX_SECRETS = 20;
/** Each is a policy of port 80. */
const MAX_HOSTS = 200;

/** What `spec.tls` asks for; undefined if there is none. Throws ServiceRefused for more than can be. Pure. */
export function tlsWishesOf(
  { spec }: Ingress,
  routes: readonly Route[],
  reader: AnnotationReader,
): TlsWishes | undefined {
  const entries = spec.tls ?? [];
  const http = httpHandling(reader, entries.length > 0);
  if (entries.length === 0) return undefined;
  const secrets = [...new Set(entries.flatMap(({ secretName }) => secretName || []))];
  const hosts = new Set(entries.flatMap(({ hosts: each }) => (each?.length ? each.map(lowerCase) : [''])));
  requireBounded('Secrets', secrets.length, MAX_SECRETS);
  requireBounded('hosts', hosts.size, MAX_HOSTS);
  entries.forEach(({ secretName, hosts: each = [] }, index) => {
    if (secretName) return;
    const whose = each.length === 0 ? 'every host' : each.map(shown).join(', ');
    reader.warn('CertificateMissing', `spec.tls[${index}] names no Secret: there is no certificate for ${whose}`);
  });
  const tls = { secrets, hosts: [...hosts], http };
  warnOfBarred(routes, tls, reader);
  return tls;
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** GKE's annotation counts where Fairway's own is not there. */
function httpHandling(reader: AnnotationReader, hasTls: boolean): HttpHandling {
  const own = reader.oneOf(ANNOTATION.http, ['redirect', 'serve', 'none']);
  const isAllowed = reader.flag(ANNOTATION.allowHttp);
  if (!hasTls && (own ?? isAllowed) !== undefined) {
    const name = own === undefined ? ANNOTATION.allowHttp : ANNOTATION.http;
    reader.warn('InvalidAnnotation', `annotation ${name} has no effect without spec.tls`);
  }
  return own ?? (isAllowed === false ? 'none' : 'redirect');
}

function requireBounded(what: string, count: number, limit: number): void {
  if (count <= limit) return;
  throw new ServiceRefused(`spec.tls: ${count} ${what}, and one load balancer takes ${limit}: make more Ingresses`);
}

function warnOfBarred(routes: readonly Route[], tls: TlsWishes, reader: AnnotationReader): void {
  if (tls.http !== 'redirect') return;
  const { barredHosts } = closedHosts({ routes, tls });
  if (barredHosts.length === 0) return;
  reader.warn(
    'HttpNotRedirected',
    `requests on port 80 for ${barredHosts.map(shown).join(', ')} get 503 and no redirect: Octavia sends clients to hosts of one name only; name the hosts in spec.tls and spec.rules`,
  );
}
