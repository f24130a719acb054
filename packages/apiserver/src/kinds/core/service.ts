import type { Service } from '@fairway/kube/kinds/generated/types';
import { Services } from '@fairway/kube/kinds/resources';
import { dns1035LabelErrors } from '@fairway/kube/object/names';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { AGE, text, wide } from '../printing/column.ts';
import { formatLabels } from '../printing/labels.ts';
import { serviceErrors, serviceUpdateErrors } from './service-validation.ts';

const CLIENT_IP_TIMEOUT_SECONDS = 10_800;

/**
 * Defaults of a Service that do not depend on other Services. Cluster IPs, IP families and node ports are left to an
 * allocator: an admission plugin of the cluster, which runs between `default` and `validate`.
 */
function defaultService({ spec }: Service): void {
  setDefaults(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP') {
    const clientIP = spec.sessionAffinityConfig?.clientIP ?? {};
    clientIP.timeoutSeconds ??= CLIENT_IP_TIMEOUT_SECONDS;
    spec.sessionAffinityConfig = { clientIP };
  }
  for (const port of spec.ports ?? []) {
    setDefaults(port, { protocol: 'TCP' });
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
  }
  const isExternal = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  if (isExternal || (spec.externalIPs?.length && spec.type === 'ClusterIP')) {
    setDefaults(spec, { externalTrafficPolicy: 'Cluster' });
  }
  if (spec.type !== 'ExternalName') setDefaults(spec, { internalTrafficPolicy: 'Cluster' });
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
}

/** Drops fields that only make sense for the type that a Service had before its update. */
function dropTypeDependentFields({ spec }: Service, { spec: old }: Service): void {
  const hadNodePorts = old.type === 'NodePort' || old.type === 'LoadBalancer';
  if (hadNodePorts && (spec.type === 'ClusterIP' || spec.type === 'ExternalName')) {
    const previous = new Map((old.ports ?? []).map((port) => [`${port.protocol}/${port.port}`, port.nodePort]));
    for (const port of spec.ports ?? []) {
      if (previous.get(`${port.protocol}/${port.port}`) === port.nodePort) delete port.nodePort;
    }
    if (spec.externalTrafficPolicy === old.externalTrafficPolicy && !spec.externalIPs?.length) {
      delete spec.externalTrafficPolicy;
    }
  }
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (spec.allocateLoadBalancerNodePorts === old.allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts;
    }
    if (spec.loadBalancerClass === old.loadBalancerClass) delete spec.loadBalancerClass;
    if (spec.healthCheckNodePort === old.healthCheckNodePort) delete spec.healthCheckNodePort;
  }
  if (old.type !== 'ExternalName' && spec.type === 'ExternalName' && spec.clusterIP === old.clusterIP) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
}

/** An update that omits allocated values keeps them, as `kubectl replace` with an old manifest expects. */
function keepAllocatedFields({ spec }: Service, { spec: old }: Service): void {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return;
  if (!spec.clusterIP && !spec.clusterIPs?.length) {
    if (old.clusterIP) spec.clusterIP = old.clusterIP;
    if (old.clusterIPs) spec.clusterIPs = old.clusterIPs;
  }
  if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = old.clusterIPs ?? [spec.clusterIP];
  if (!spec.ipFamilies?.length && old.ipFamilies) spec.ipFamilies = old.ipFamilies;
  if (!spec.ipFamilyPolicy && old.ipFamilyPolicy) spec.ipFamilyPolicy = old.ipFamilyPolicy;
  if (spec.type === 'ClusterIP') return;
  const previous = new Map((old.ports ?? []).map((port) => [`${port.protocol}/${port.port}`, port.nodePort]));
  for (const port of spec.ports ?? []) {
    const nodePort = previous.get(`${port.protocol}/${port.port}`);
    if (!port.nodePort && nodePort) port.nodePort = nodePort;
  }
}

/**
 * Keeps allocated values that an update omits, and removes allocated values that no longer fit the type. An allocator
 * calls it before it allocates missing values; idempotent.
 */
export function prepareServiceUpdate(service: Service, old: Service): void {
  dropTypeDependentFields(service, old);
  keepAllocatedFields(service, old);
}

function externalIp({ spec, status }: Service): string {
  const extra = spec.externalIPs ?? [];
  const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '');
  switch (spec.type ?? 'ClusterIP') {
    case 'ExternalName':
      return spec.externalName || '<none>';
    case 'LoadBalancer': {
      const all = [...ingress, ...extra].filter((text) => text !== '');
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    default:
      return extra.length === 0 ? '<none>' : extra.join(',');
  }
}

function ports({ spec }: Service): string {
  const pieces = (spec.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return pieces.length === 0 ? '<none>' : pieces.join(',');
}

export const ServiceKind = defineKind(Services, {
  definition: 'io.k8s.api.core.v1.Service',
  shortNames: ['svc'],
  categories: ['all'],
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    nameErrors: dns1035LabelErrors,
    default(service) {
      defaultService(service);
    },
    prepareForCreate(service) {
      service.status = { loadBalancer: {} };
      const { spec } = service;
      if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    },
    prepareForUpdate: prepareServiceUpdate,
    validate: (service, old) => [
      ...serviceErrors(service),
      ...(old === undefined ? [] : serviceUpdateErrors(service, old)),
    ],
  },
  selectableFields: { 'spec.clusterIP': '.spec.clusterIP', 'spec.type': '.spec.type' },
  columns: [
    text('Type', '.spec.type'),
    text('Cluster-IP', ({ spec }) => spec.clusterIPs?.[0] || spec.clusterIP || '<none>'),
    text('External-IP', externalIp),
    text('Port(s)', ports),
    AGE,
    wide(text('Selector', ({ spec }) => formatLabels(spec.selector))),
  ],
});
