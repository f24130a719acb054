import { pythonRepr } from '../http/parse-body.ts';
import { parseCidr, parseIp } from '../network/cidr.ts';
import type { World } from '../world.ts';
import type { References } from './certificates.ts';
import { conflict, invalid, invalidOption } from './problem.ts';
import { isDatagram, transportOf } from './protocols.ts';
import type { Listener, LoadBalancer } from './records.ts';
import { checkAlpn, checkVersions, TLS_DEFAULTS } from './tls.ts';
import { addressesOf, listenersOf } from './tree.ts';
import { additionalVipsOf } from './versions.ts';

const HTTP_HEADERS = ['X-Forwarded-For', 'X-Forwarded-Port', 'X-Forwarded-Proto'];
const TLS_HEADERS = [
  'X-SSL-Client-Verify',
  'X-SSL-Client-Has-Cert',
  'X-SSL-Client-DN',
  'X-SSL-Client-CN',
  'X-SSL-Issuer',
  'X-SSL-Client-SHA1',
  'X-SSL-Client-Not-Before',
  'X-SSL-Client-Not-After',
];

/** A listener's references to Barbican. */
export function referencesOf(listener: Listener): References {
  const { default_tls_container_ref, sni_container_refs, client_ca_tls_container_ref, client_crl_container_ref } =
    listener;
  return {
    tls: [...sni_container_refs, default_tls_container_ref],
    ca: client_ca_tls_container_ref,
    crl: client_crl_container_ref,
  };
}

/** Octavia's rules for a new or updated listener, in the order in which Octavia checks them. */
export function checkListener(
  world: World,
  listener: Listener,
  loadBalancer: LoadBalancer,
  verb: 'create' | 'update',
): void {
  const { protocol } = listener;
  const headers = Object.keys(listener.insert_headers);
  const hasTls = hasCertificates(listener);
  if (isDatagram(protocol) && (hasTls || headers.length > 0)) {
    throw invalid(
      `${protocol} protocol listener does not support TLS${verb === 'update' ? ' or header insertion' : ''}.`,
    );
  }
  checkHeaders(headers, listener);
  const isTlsTerminated = protocol === 'TERMINATED_HTTPS' || (protocol === 'PROMETHEUS' && hasTls);
  if (!isTlsTerminated && hasTls)
    throw invalid(`Certificate container references are not allowed on ${protocol} protocol listeners.`);
  checkCertificates(listener, isTlsTerminated);
  checkCidrs(listener.allowed_cidrs ?? [], loadBalancer, additionalVipsOf(world).areHeeded);
  if (!isTlsTerminated) return;
  checkVersions(listener.tls_versions ?? TLS_DEFAULTS.tls_versions);
  checkAlpn(listener.alpn_protocols ?? TLS_DEFAULTS.alpn_protocols);
}

function hasCertificates(listener: Listener): boolean {
  const { default_tls_container_ref, client_ca_tls_container_ref, sni_container_refs } = listener;
  return default_tls_container_ref !== null || client_ca_tls_container_ref !== null || sni_container_refs.length > 0;
}

function checkHeaders(names: readonly string[], { protocol }: Listener): void {
  if (names.length === 0) return;
  if (protocol !== 'HTTP' && protocol !== 'TERMINATED_HTTPS')
    throw invalidOption('insert-headers', `a ${protocol} protocol listener.`);
  if (names.some((name) => !HTTP_HEADERS.includes(name) && !TLS_HEADERS.includes(name)))
    throw invalidOption(pythonRepr(names), 'insert_headers');
  const tlsHeaders = names.filter((name) => TLS_HEADERS.includes(name));
  if (protocol === 'HTTP' && tlsHeaders.length > 0)
    throw invalidOption(pythonRepr(tlsHeaders), `${protocol} protocol listener.`);
}

function checkCertificates(listener: Listener, isTlsTerminated: boolean): void {
  const { default_tls_container_ref: base, sni_container_refs: others, protocol } = listener;
  const { client_ca_tls_container_ref: ca, client_crl_container_ref: crl, client_authentication } = listener;
  if (isTlsTerminated && base === null && others.length === 0) {
    const what = protocol === 'PROMETHEUS' ? `${protocol} with TLS` : protocol;
    throw invalid(`An SNI or default certificate container reference must be provided for ${what} protocol listeners.`);
  }
  if (client_authentication !== 'NONE' && ca === null)
    throw invalid(`Client authentication setting ${client_authentication} requires a client CA container reference.`);
  if (crl !== null && ca === null)
    throw invalid(
      'A client authentication CA reference is required to specify a client authentication revocation list.',
    );
}

function checkCidrs(cidrs: readonly string[], loadBalancer: LoadBalancer, withAllVips: boolean): void {
  const { vip_address: first } = loadBalancer;
  const vips = withAllVips ? addressesOf(loadBalancer) : [first];
  const versions = new Set(vips.map((vip) => parseIp(vip)?.version));
  const other = cidrs.find((cidr) => !versions.has(parseCidr(cidr)?.version));
  if (other === undefined) return;
  const which = withAllVips ? `all VIPs ${pythonRepr(vips)}` : `VIP ${first}`;
  throw invalid(`CIDR ${other} IP version incompatible with ${which} IP version.`);
}

/** Listeners with the same transport protocol cannot share a port, even while one of them is being deleted. */
export function requireFreePort(world: World, loadBalancer: LoadBalancer, listener: Listener): void {
  const { protocol, protocol_port } = listener;
  const taken = listenersOf(world, loadBalancer).find(
    (other) => other.protocol_port === protocol_port && transportOf(other.protocol) === transportOf(protocol),
  );
  if (taken === undefined) return;
  throw conflict(
    `Another Listener on this Load Balancer is already using protocol ${taken.protocol} and protocol_port ${protocol_port}`,
  );
}
