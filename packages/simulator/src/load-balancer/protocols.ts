import { invalid } from './problem.ts';
import type { ListenerProtocol, PoolProtocol } from './records.ts';

export const LISTENER_PROTOCOLS = [
  'TCP',
  'HTTPS',
  'HTTP',
  'TERMINATED_HTTPS',
  'UDP',
  'SCTP',
  'PROMETHEUS',
] as const satisfies readonly ListenerProtocol[];

export const POOL_PROTOCOLS = [
  'TCP',
  'HTTP',
  'HTTPS',
  'PROXY',
  'PROXYV2',
  'UDP',
  'SCTP',
] as const satisfies readonly PoolProtocol[];

/** Allowed pool protocols by listener protocol. */
const COMPATIBLE_POOL_PROTOCOLS: Readonly<Record<ListenerProtocol, readonly PoolProtocol[]>> = {
  TCP: ['HTTP', 'HTTPS', 'PROXY', 'PROXYV2', 'TCP'],
  HTTP: ['HTTP', 'PROXY', 'PROXYV2'],
  HTTPS: ['HTTPS', 'PROXY', 'PROXYV2', 'TCP'],
  TERMINATED_HTTPS: ['HTTP', 'PROXY', 'PROXYV2'],
  UDP: ['UDP'],
  SCTP: ['SCTP'],
  PROMETHEUS: [],
};

export function requireCompatibleProtocols(listener: ListenerProtocol, pool: PoolProtocol): void {
  if (COMPATIBLE_POOL_PROTOCOLS[listener].includes(pool)) return;
  throw invalid(`The pool protocol '${pool}' is invalid while the listener protocol is '${listener}'.`);
}

/** The transport protocol of a listener: listeners with the same one cannot share a port. */
export function transportOf(protocol: ListenerProtocol): 'TCP' | 'UDP' | 'SCTP' {
  return protocol === 'UDP' || protocol === 'SCTP' ? protocol : 'TCP';
}

export function isDatagram(protocol: ListenerProtocol | PoolProtocol): boolean {
  return protocol === 'UDP' || protocol === 'SCTP';
}
