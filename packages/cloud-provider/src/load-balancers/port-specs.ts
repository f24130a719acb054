import type { Service, ServicePort } from '@fairway/kube/kinds/generated/types';
import { ANNOTATION } from './annotation-names.ts';
import type { AnnotationReader } from './annotation-reader.ts';
import type { MonitorSpec, PortSpec } from './load-balancer-spec.ts';
import { isOvn } from './provider-limits.ts';
import { ServiceRefused } from './service-refused.ts';
import type { MonitorSettings } from './settings.ts';

/** Octavia's maximum number of retries. */
const MAX_RETRIES = 10;
/** Limit on ports per Service: each port has a listener, a pool and a monitor. */
const MAX_PORTS = 100;

export interface PortContext {
  readonly provider: string | undefined;
  readonly terminatesTls: boolean;
  readonly addsForwardedFor: boolean;
  readonly monitor: MonitorSettings;
}

export function monitorSettingsOf(reader: AnnotationReader, defaults: MonitorSettings): MonitorSettings {
  const retries = { min: 1, max: MAX_RETRIES };
  const delay = reader.integer(ANNOTATION.monitorDelay, { min: 1 }) ?? defaults.delay;
  const timeout = reader.integer(ANNOTATION.monitorTimeout, { min: 1 }) ?? defaults.timeout;
  if (timeout > delay) {
    const message = `the timeout of a health monitor cannot exceed its delay: ${timeout} s is reduced to ${delay} s`;
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

/** The spec of each port. PROXY, TLS and X-Forwarded-For require TCP; the Service's other ports do not use them. */
export function portSpecs(service: Service, reader: AnnotationReader, context: PortContext): readonly PortSpec[] {
  const ports = service.spec.ports ?? [];
  if (ports.length === 0) throw new ServiceRefused('spec.ports: a load balancer needs at least one port');
  if (ports.length > MAX_PORTS) {
    throw new ServiceRefused(
      `spec.ports: has ${ports.length} ports, but a load balancer can have at most ${MAX_PORTS}`,
    );
  }
  const proxy = proxyOf(reader);
  if (proxy && context.addsForwardedFor) {
    const both = `annotations ${ANNOTATION.proxyProtocol} and ${ANNOTATION.xForwardedFor}`;
    throw new ServiceRefused(`${both}: a listener can add only one of them; remove the other`);
  }
  warnOfIgnoredSettings(ports, reader, context, proxy);
  return ports.map((port, index) => portSpec(port, index, service, context, proxy));
}

function portSpec(
  { port, nodePort, protocol }: ServicePort,
  index: number,
  service: Service,
  context: PortContext,
  proxy: 'PROXY' | 'PROXYV2' | undefined,
): PortSpec {
  const transport = transportOf(protocol);
  const isTcp = transport === 'TCP';
  const isHttp = isTcp && (context.terminatesTls || context.addsForwardedFor);
  const listenerProtocol = isTcp && context.terminatesTls ? 'TERMINATED_HTTPS' : isHttp ? 'HTTP' : transport;
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
 * With externalTrafficPolicy Local, kube-proxy reports on the health check port whether a node has endpoints: without a
 * monitor on that port, nodes without endpoints receive traffic that they drop. OVN cannot probe that port, but detects
 * that connections to such nodes fail.
 */
function monitorOf(
  transport: 'TCP' | 'UDP' | 'SCTP',
  { spec }: Service,
  { provider, monitor }: PortContext,
): MonitorSpec | undefined {
  const { isEnabled, ...settings } = monitor;
  const isLocal = spec.externalTrafficPolicy === 'Local';
  const healthPort = isLocal && !isOvn(provider) ? spec.healthCheckNodePort || undefined : undefined;
  const supportsHealthMonitor = transport === 'TCP' ? !isOvn(provider) || isLocal : healthPort !== undefined;
  if (!(isEnabled ?? supportsHealthMonitor)) return undefined;
  if (healthPort !== undefined) return { ...settings, type: 'HTTP', port: healthPort };
  return { ...settings, type: transport === 'UDP' ? 'UDP-CONNECT' : transport };
}

const PROXY_PROTOCOLS = { true: 'PROXY', v1: 'PROXY', v2: 'PROXYV2', false: undefined } as const;

/** Octavia does not add the TLS fields that OVHcloud's `v2-ssl` and `v2-ssl-cn` request. */
function proxyOf(reader: AnnotationReader): 'PROXY' | 'PROXYV2' | undefined {
  const values = ['true', 'false', 'v1', 'v2'] as const;
  const names = [ANNOTATION.proxyProtocol, ANNOTATION.ovhProxyProtocol];
  const requested = names.flatMap((name) => reader.oneOf(name, values) ?? []);
  const [first, second = first] = requested.map((value) => PROXY_PROTOCOLS[value]);
  if (first !== second)
    throw new ServiceRefused(`annotations ${names.join(' and ')} contradict each other: remove one`);
  return first;
}

function warnOfIgnoredSettings(
  ports: readonly ServicePort[],
  reader: AnnotationReader,
  { terminatesTls, addsForwardedFor }: PortContext,
  proxy: string | undefined,
): void {
  const others = ports.filter(({ protocol }) => transportOf(protocol) !== 'TCP');
  const requested = [
    ...(proxy ? [reader.has(ANNOTATION.proxyProtocol) ? ANNOTATION.proxyProtocol : ANNOTATION.ovhProxyProtocol] : []),
    ...(terminatesTls ? [ANNOTATION.tlsContainerRef] : []),
    ...(addsForwardedFor ? [ANNOTATION.xForwardedFor] : []),
  ];
  if (others.length > 0 && requested.length > 0) {
    const names = others.map(({ port, protocol }) => `${protocol}/${port}`).join(', ');
    reader.warn('LoadBalancerTcpOnly', `${requested.join(', ')} requires TCP: it has no effect on ${names}`);
  }
  const portsWithoutNodePort = ports.filter(({ nodePort }) => !nodePort);
  if (portsWithoutNodePort.length === 0) return;
  const names = portsWithoutNodePort.map(({ port }) => port).join(', ');
  reader.warn('LoadBalancerNoNodePort', `ports ${names} have no node port, so they have no backends`);
}

function transportOf(protocol = 'TCP'): 'TCP' | 'UDP' | 'SCTP' {
  return protocol === 'UDP' || protocol === 'SCTP' ? protocol : 'TCP';
}
