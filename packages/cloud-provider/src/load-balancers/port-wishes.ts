import type { Service, ServicePort } from '@fairway/kube/kinds/generated/types';
import { ANNOTATION } from './annotation-names.ts';
import type { AnnotationReader } from './annotation-reader.ts';
import { isOvn } from './provider-limits.ts';
import { ServiceRefused } from './service-refused.ts';
import type { MonitorSettings } from './settings.ts';
import type { MonitorWish, PortWish } from './wishes.ts';

/** Octavia's bounds. */
const MAX_RETRIES = 10;
/** Ports of one Service: each is a listener, a pool and a monitor. */
const MAX_PORTS = 100;

export interface PortContext {
  readonly provider: string | undefined;
  readonly isTerminated: boolean;
  readonly addsForwardedFor: boolean;
  readonly monitor: MonitorSettings;
}

export function monitorSettingsOf(reader: AnnotationReader, defaults: MonitorSettings): MonitorSettings {
  const retries = { min: 1, max: MAX_RETRIES };
  const delay = reader.integer(ANNOTATION.monitorDelay, { min: 1 }) ?? defaults.delay;
  const timeout = reader.integer(ANNOTATION.monitorTimeout, { min: 1 }) ?? defaults.timeout;
  if (timeout > delay) {
    const message = `health monitors wait at most as long as their delay: ${timeout} s is cut to ${delay} s`;
    reader.warn('InvalidAnnotation', message);
  }
  return {
    isEnabled: reader.flag(ANNOTATION.monitor) ?? defaults.isEnabled,
    delay,
    timeout: Math.min(timeout, delay),
    maxRetries: reader.integer(ANNOTATION.monitorMaxRetries, retries) ?? defaults.maxRetries,
    maxRetriesDown: reader.integer(ANNOTATION.monitorMaxRetriesDown, retries) ?? defaults.maxRetriesDown,
  };
}

/** How each port is to be served. PROXY, TLS and X-Forwarded-For are for TCP: other ports of the same Service go without. */
export function portWishes(service: Service, reader: AnnotationReader, context: PortContext): readonly PortWish[] {
  const ports = service.spec.ports ?? [];
  if (ports.length === 0) throw new ServiceRefused('spec.ports: a load balancer needs at least one port');
  if (ports.length > MAX_PORTS) {
    throw new ServiceRefused(`spec.ports: has ${ports.length} ports, and a load balancer may have ${MAX_PORTS}`);
  }
  const proxy = proxyOf(reader);
  if (proxy && context.addsForwardedFor) {
    const both = `annotations ${ANNOTATION.proxyProtocol} and ${ANNOTATION.xForwardedFor}`;
    throw new ServiceRefused(`${both}: a listener adds one or the other; leave one of them out`);
  }
  warnOfOthers(ports, reader, context, proxy);
  return ports.map((port, index) => portWish(port, index, service, context, proxy));
}

function portWish(
  { port, nodePort, protocol }: ServicePort,
  index: number,
  service: Service,
  context: PortContext,
  proxy: 'PROXY' | 'PROXYV2' | undefined,
): PortWish {
  const transport = transportOf(protocol);
  const isTcp = transport === 'TCP';
  const isHttp = isTcp && (context.isTerminated || context.addsForwardedFor);
  const listenerProtocol = isTcp && context.isTerminated ? 'TERMINATED_HTTPS' : isHttp ? 'HTTP' : transport;
  const poolProtocol = (isTcp ? proxy : undefined) ?? (isHttp ? 'HTTP' : transport);
  return {
    index,
    port,
    nodePort: nodePort || undefined,
    listenerProtocol,
    poolProtocol,
    monitor: monitorOf(transport, service, context),
  };
}

/**
 * With externalTrafficPolicy Local, kube-proxy says on each node at the health check port whether it has endpoints: without a monitor that asks there, nodes without any get
 * traffic that they drop. OVN can't ask there, but sees connections to such nodes fail.
 */
function monitorOf(
  transport: 'TCP' | 'UDP' | 'SCTP',
  { spec }: Service,
  { provider, monitor }: PortContext,
): MonitorWish | undefined {
  const { isEnabled, ...settings } = monitor;
  const isLocal = spec.externalTrafficPolicy === 'Local';
  const healthPort = isLocal && !isOvn(provider) ? spec.healthCheckNodePort || undefined : undefined;
  const isRight = transport === 'TCP' ? !isOvn(provider) || isLocal : healthPort !== undefined;
  if (!(isEnabled ?? isRight)) return undefined;
  if (healthPort !== undefined) return { ...settings, type: 'HTTP', port: healthPort };
  return { ...settings, type: transport === 'UDP' ? 'UDP-CONNECT' : transport };
}

function proxyOf(reader: AnnotationReader): 'PROXY' | 'PROXYV2' | undefined {
  const value = reader.oneOf(ANNOTATION.proxyProtocol, ['true', 'false', 'v1', 'v2']);
  if (value === 'v2') return 'PROXYV2';
  return value === 'true' || value === 'v1' ? 'PROXY' : undefined;
}

function warnOfOthers(
  ports: readonly ServicePort[],
  reader: AnnotationReader,
  { isTerminated, addsForwardedFor }: PortContext,
  proxy: string | undefined,
): void {
  const others = ports.filter(({ protocol }) => transportOf(protocol) !== 'TCP');
  const asked = [
    ...(proxy ? [ANNOTATION.proxyProtocol] : []),
    ...(isTerminated ? [ANNOTATION.tlsContainerRef] : []),
    ...(addsForwardedFor ? [ANNOTATION.xForwardedFor] : []),
  ];
  if (others.length > 0 && asked.length > 0) {
    const names = others.map(({ port, protocol }) => `${protocol}/${port}`).join(', ');
    reader.warn('LoadBalancerTcpOnly', `${asked.join(', ')} is for TCP: it has no effect on ${names}`);
  }
  const without = ports.filter(({ nodePort }) => !nodePort);
  if (without.length === 0) return;
  const names = without.map(({ port }) => port).join(', ');
  reader.warn('LoadBalancerNoNodePort', `ports ${names} have no node port: nothing is behind them`);
}

function transportOf(protocol = 'TCP'): 'TCP' | 'UDP' | 'SCTP' {
  return protocol === 'UDP' || protocol === 'SCTP' ? protocol : 'TCP';
}
