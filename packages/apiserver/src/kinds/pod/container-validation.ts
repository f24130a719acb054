import type {
  Container,
  ContainerPort,
  EnvVar,
  Probe,
  ResourceRequirements,
  VolumeMount,
} from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { dns1123LabelErrors, portNameErrors } from '@fairway/kube/object/names';
import { tryParseQuantity } from '@fairway/kube/object/quantity';
import {
  duplicate,
  forbidden,
  invalidName,
  invalidValue,
  nonNegative,
  oneOf,
  portNumber,
  required,
  unknownName,
} from '../field-errors.ts';
import { exceeds } from '../quantities.ts';
import { quantityErrors } from '../validation-common.ts';

export interface ContainerContext {
  readonly role: 'app' | 'init' | 'sidecar';
  readonly volumeNames: ReadonlySet<string>;
  readonly hostNetwork: boolean;
}

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const;
const STANDARD_RESOURCES = /^(cpu|memory|ephemeral-storage|hugepages-[0-9]+(Ki|Mi|Gi))$/;

/**
 * Upstream's validateContainerCommon and its additions for init containers. The caller checks that names are unique in
 * the pod.
 */
export function containerErrors(container: Container, path: string, context: ContainerContext): FieldError[] {
  const errors: FieldError[] = [];
  if (container.name) errors.push(...invalidName(`${path}.name`, container.name, dns1123LabelErrors(container.name)));
  else errors.push(required(`${path}.name`));
  errors.push(...imageErrors(container.image, `${path}.image`));
  errors.push(...oneOf(`${path}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES, true));
  errors.push(...portsErrors(container.ports ?? [], `${path}.ports`, context.hostNetwork));
  errors.push(...environmentErrors(container.env ?? [], `${path}.env`));
  errors.push(...mountsErrors(container.volumeMounts ?? [], `${path}.volumeMounts`, context.volumeNames));
  errors.push(...resourcesErrors(container.resources, `${path}.resources`));
  for (const name of PROBES) {
    const probe = container[name];
    if (probe === undefined) continue;
    if (context.role === 'init') {
      errors.push(forbidden(`${path}.${name}`, 'may not be set for init containers without restartPolicy=Always'));
    } else errors.push(...probeErrors(probe, `${path}.${name}`, name));
  }
  if (context.role === 'init' && container.lifecycle) {
    errors.push(forbidden(`${path}.lifecycle`, 'may not be set for init containers without restartPolicy=Always'));
  }
  return errors;
}

function imageErrors(image: string | undefined, field: string): FieldError[] {
  if (!image) return [required(field)];
  return image === image.trim() ? [] : [invalidValue(field, image, 'must not have leading or trailing whitespace')];
}

function portsErrors(ports: readonly ContainerPort[], field: string, hostNetwork: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const path = `${field}[${index}]`;
    if (port.name) {
      errors.push(...invalidName(`${path}.name`, port.name, portNameErrors(port.name)));
      if (names.has(port.name)) errors.push(duplicate(`${path}.name`, port.name));
      names.add(port.name);
    }
    if (!port.containerPort) errors.push(required(`${path}.containerPort`));
    else errors.push(...portNumber(`${path}.containerPort`, port.containerPort));
    if (port.hostPort) {
      errors.push(...portNumber(`${path}.hostPort`, port.hostPort));
      if (hostNetwork && port.hostPort !== port.containerPort) {
        const detail = 'must match `hostPort` when `hostNetwork` is true';
        errors.push(invalidValue(`${path}.containerPort`, port.containerPort, detail));
      }
    }
    errors.push(...oneOf(`${path}.protocol`, port.protocol, PROTOCOLS, true));
  }
  return errors;
}

function environmentErrors(variables: readonly EnvVar[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, { name, value, valueFrom }] of variables.entries()) {
    const path = `${field}[${index}]`;
    if (!name) errors.push(required(`${path}.name`));
    else if (!/^[\x20-\x3c\x3e-\x7e]+$/.test(name)) {
      const detail = "a valid environment variable name must consist only of printable ASCII characters other than '='";
      errors.push(invalidValue(`${path}.name`, name, detail));
    }
    if (valueFrom === undefined) continue;
    if (value) {
      errors.push(invalidValue(`${path}.valueFrom`, '', 'may not be specified when `value` is not empty'));
    }
    const sources = Object.keys(valueFrom).length;
    if (sources === 0) {
      const detail = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
      errors.push(invalidValue(`${path}.valueFrom`, '', detail));
    } else if (sources > 1) {
      errors.push(invalidValue(`${path}.valueFrom`, '', 'may not have more than one field specified at a time'));
    }
  }
  return errors;
}

function mountsErrors(mounts: readonly VolumeMount[], field: string, volumes: ReadonlySet<string>): FieldError[] {
  const errors: FieldError[] = [];
  const paths = new Set<string>();
  for (const [index, { name, mountPath }] of mounts.entries()) {
    const path = `${field}[${index}]`;
    if (!name) errors.push(required(`${path}.name`));
    else if (!volumes.has(name)) errors.push(unknownName(`${path}.name`, name));
    if (!mountPath) errors.push(required(`${path}.mountPath`));
    else if (paths.has(mountPath)) errors.push(invalidValue(`${path}.mountPath`, mountPath, 'must be unique'));
    paths.add(mountPath);
  }
  return errors;
}

function resourcesErrors(resources: ResourceRequirements | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const list of ['limits', 'requests'] as const) {
    for (const [name, value] of Object.entries(resources?.[list] ?? {})) {
      errors.push(...quantityErrors(`${field}.${list}[${name}]`, value));
      if (!name.includes('/') && !STANDARD_RESOURCES.test(name)) {
        const path = `${field}.${list}[${name}]`;
        errors.push(invalidValue(path, name, 'must be a standard resource type or fully qualified'));
        errors.push(invalidValue(path, name, 'must be a standard resource for containers'));
      }
    }
  }
  for (const [name, request] of Object.entries(resources?.requests ?? {})) {
    const limit = resources?.limits?.[name];
    if (limit === undefined || !tryParseQuantity(limit) || !tryParseQuantity(request)) continue;
    if (exceeds(request, limit)) {
      const detail = `must be less than or equal to ${name} limit of ${limit}`;
      errors.push(invalidValue(`${field}.requests`, request, detail));
    }
  }
  return errors;
}

function probeErrors(probe: Probe, path: string, role: (typeof PROBES)[number]): FieldError[] {
  const errors: FieldError[] = [];
  const [first, ...others] = HANDLERS.filter((handler) => probe[handler] !== undefined);
  if (first === undefined) errors.push(required(path, 'must specify a handler type'));
  for (const handler of others) {
    errors.push(forbidden(`${path}.${handler}`, 'may not specify more than 1 handler type'));
  }
  for (const name of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const) {
    errors.push(...nonNegative(`${path}.${name}`, probe[name]));
  }
  if (role !== 'readinessProbe' && (probe.successThreshold ?? 1) !== 1) {
    errors.push(invalidValue(`${path}.successThreshold`, probe.successThreshold, 'must be 1'));
  }
  return errors;
}
