import { invalid, invalidOption } from './problem.ts';
import { isDatagram } from './protocols.ts';
import type { HealthMonitor, Pool } from './records.ts';

const DATAGRAM_MONITORS = ['UDP-CONNECT', 'SCTP', 'TCP', 'HTTP'];
/** Octavia's `udp_connect_min_interval_health_monitor`, in seconds. */
const MIN_UDP_DELAY_S = 3;

/** Checks that the type of a monitor is compatible with the protocol of its pool. */
export function checkType({ type, delay }: Pick<HealthMonitor, 'type' | 'delay'>, { protocol }: Pool): void {
  if (!isDatagram(protocol)) {
    if (type === 'UDP-CONNECT' || type === 'SCTP')
      throw invalid(`The ${type} type is only supported for pools of type UDP/SCTP.`);
    return;
  }
  if (!DATAGRAM_MONITORS.includes(type)) {
    throw invalid(
      `The associated pool protocol is ${protocol}, so only a ${DATAGRAM_MONITORS.join('/')} health monitor is supported.`,
    );
  }
  if (type === 'UDP-CONNECT' && delay < MIN_UDP_DELAY_S) {
    throw invalid(
      `The request delay value ${delay} should be larger than ${MIN_UDP_DELAY_S} for UDP-CONNECT health monitor type.`,
    );
  }
}

export function usesHttp(type: HealthMonitor['type']): boolean {
  return type === 'HTTP' || type === 'HTTPS';
}

type HttpFields = { readonly [K in 'http_method' | 'url_path' | 'expected_codes']?: string | null | undefined };

/** Throws for a method, a path or expected codes, which only HTTP monitors have. */
export function refuseHttpFields(type: HealthMonitor['type'], fields: HttpFields): void {
  if (usesHttp(type)) return;
  for (const name of ['http_method', 'url_path', 'expected_codes'] as const)
    if (fields[name] != null) throw invalidOption(name, `health monitors of type ${type}`);
}

export function checkDomainName({ domain_name, http_version }: HealthMonitor): void {
  if (domain_name === null) return;
  if (http_version === null) throw invalid("'http_version' must be specified when 'domain_name' is provided.");
  if (http_version < 1.1) throw invalidOption('http_version 1.0', 'health monitors HTTP 1.1 domain name health check');
}
