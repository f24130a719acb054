import type { Service, ServicePort } from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { dns1123LabelErrors, dns1123SubdomainErrors, portNameErrors } from '@fairway/kube/object/names';
import { duplicate, forbidden, invalidName, invalidValue, oneOf, portNumber, required } from '../field-errors.ts';
import { immutable, labelsErrors } from '../validation-common.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const POLICIES = ['Cluster', 'Local'];
const MAX_AFFINITY_SECONDS = 86_400;

/** Upstream's ValidateService. */
export function serviceErrors({ spec }: Service): FieldError[] {
  const errors: FieldError[] = [];
  const ports = spec.ports ?? [];
  const isHeadless = spec.clusterIP === 'None';
  if (ports.length === 0 && !isHeadless && spec.type !== 'ExternalName') errors.push(required('spec.ports'));
  errors.push(...portsErrors(ports), ...labelsErrors('spec.selector', spec.selector));
  errors.push(...oneOf('spec.sessionAffinity', spec.sessionAffinity, AFFINITIES, true));
  errors.push(...oneOf('spec.type', spec.type, TYPES, true));
  errors.push(...oneOf('spec.externalTrafficPolicy', spec.externalTrafficPolicy, POLICIES));
  errors.push(...oneOf('spec.internalTrafficPolicy', spec.internalTrafficPolicy, POLICIES));
  errors.push(...affinityErrors(spec), ...typeErrors(spec));
  const [first] = spec.clusterIPs ?? [];
  if (first !== undefined && first !== spec.clusterIP) {
    errors.push(invalidValue('spec.clusterIPs[0]', first, 'must match `clusterIP`'));
  }
  return errors;
}

function typeErrors(spec: Service['spec']): FieldError[] {
  const errors: FieldError[] = [];
  switch (spec.type ?? 'ClusterIP') {
    case 'ExternalName':
      if (!spec.externalName) errors.push(required('spec.externalName'));
      else {
        const name = spec.externalName.replace(/\.$/, '');
        errors.push(...invalidName('spec.externalName', spec.externalName, dns1123SubdomainErrors(name)));
      }
      if (spec.clusterIP) errors.push(forbidden('spec.clusterIPs', "may not be set when `type` is 'ExternalName'"));
      break;
    case 'NodePort':
    case 'LoadBalancer':
      if (spec.clusterIP === 'None') {
        errors.push(invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${spec.type} services`));
      }
      break;
    default:
      for (const [index, { nodePort }] of (spec.ports ?? []).entries()) {
        if (!nodePort) continue;
        errors.push(forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
      }
  }
  if (spec.type !== 'LoadBalancer') {
    if (spec.loadBalancerClass) {
      errors.push(forbidden('spec.loadBalancerClass', "may only be used when `type` is 'LoadBalancer'"));
    }
    if (spec.allocateLoadBalancerNodePorts !== undefined) {
      errors.push(forbidden('spec.allocateLoadBalancerNodePorts', "may only be used when `type` is 'LoadBalancer'"));
    }
    if (spec.loadBalancerSourceRanges?.length) {
      errors.push(forbidden('spec.LoadBalancerSourceRanges', "may only be used when `type` is 'LoadBalancer'"));
    }
  }
  return errors;
}

function affinityErrors({ sessionAffinity, sessionAffinityConfig }: Service['spec']): FieldError[] {
  if (sessionAffinity !== 'ClientIP') return [];
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
  if (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS) return [];
  const detail = `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`;
  return [invalidValue('spec.sessionAffinityConfig.clientIP.timeoutSeconds', seconds, detail)];
}

function portsErrors(ports: readonly ServicePort[]): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const numbers = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const path = `spec.ports[${index}]`;
    if (port.name) {
      errors.push(...invalidName(`${path}.name`, port.name, dns1123LabelErrors(port.name)));
      if (names.has(port.name)) errors.push(duplicate(`${path}.name`, port.name));
      names.add(port.name);
    } else if (ports.length > 1) errors.push(required(`${path}.name`));
    errors.push(...portNumber(`${path}.port`, port.port));
    errors.push(...oneOf(`${path}.protocol`, port.protocol, PROTOCOLS, true));
    if (typeof port.targetPort === 'number') errors.push(...portNumber(`${path}.targetPort`, port.targetPort));
    else if (port.targetPort !== undefined) {
      errors.push(...invalidName(`${path}.targetPort`, port.targetPort, portNameErrors(port.targetPort)));
    }
    const pair = `${port.protocol}/${port.port}`;
    if (numbers.has(pair)) errors.push(duplicate(path, { port: port.port, protocol: port.protocol }));
    numbers.add(pair);
  }
  return errors;
}

/** Upstream's ValidateServiceUpdate: an allocated address is immutable until the type changes. */
export function serviceUpdateErrors({ spec }: Service, { spec: old }: Service): FieldError[] {
  const errors: FieldError[] = [];
  if (
    old.type !== 'ExternalName' &&
    spec.type !== 'ExternalName' &&
    old.clusterIP &&
    spec.clusterIP !== old.clusterIP
  ) {
    errors.push(invalidValue('spec.clusterIPs[0]', spec.clusterIPs ?? [], 'may not change once set'));
  }
  if (old.type === 'LoadBalancer' && spec.type === 'LoadBalancer') {
    errors.push(
      ...immutable('spec.loadBalancerClass', spec.loadBalancerClass, old.loadBalancerClass).map((error) => ({
        ...error,
        detail: 'may not change once set',
      })),
    );
  }
  return errors;
}
