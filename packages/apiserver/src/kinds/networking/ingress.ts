import type { HTTPIngressPath, Ingress, IngressBackend, IngressRule } from '@fairway/kube/kinds/generated/types';
import { Ingresses } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { dns1123SubdomainErrors } from '@fairway/kube/object/names';
import { defineKind } from '../define-kind.ts';
import { invalidName, invalidValue, oneOf, portNumber, required } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const WILDCARD = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function specErrors({ spec }: Ingress): FieldError[] {
  const errors: FieldError[] = [];
  if (!spec.rules?.length && spec.defaultBackend === undefined) {
    errors.push(invalidValue('spec', spec.rules ?? null, 'either `defaultBackend` or `rules` must be specified'));
  }
  if (spec.defaultBackend) errors.push(...backendErrors(spec.defaultBackend, 'spec.defaultBackend'));
  for (const [index, rule] of (spec.rules ?? []).entries()) errors.push(...ruleErrors(rule, `spec.rules[${index}]`));
  for (const [index, { hosts }] of (spec.tls ?? []).entries()) {
    for (const [hostIndex, host] of (hosts ?? []).entries()) {
      errors.push(...hostErrors(`spec.tls[${index}].hosts[${hostIndex}]`, host));
    }
  }
  const name = spec.ingressClassName;
  if (name !== undefined) errors.push(...invalidName('spec.ingressClassName', name, dns1123SubdomainErrors(name)));
  return errors;
}

function ruleErrors({ host, http }: IngressRule, path: string): FieldError[] {
  const errors = host ? hostErrors(`${path}.host`, host) : [];
  if (http === undefined) return errors;
  if (http.paths.length === 0) errors.push(required(`${path}.http.paths`));
  for (const [index, entry] of http.paths.entries()) {
    errors.push(...pathErrors(entry, `${path}.http.paths[${index}]`));
  }
  return errors;
}

function pathErrors({ path = '', pathType, backend }: HTTPIngressPath, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!pathType) errors.push(required(`${field}.pathType`, 'pathType must be specified'));
  else errors.push(...oneOf(`${field}.pathType`, pathType, PATH_TYPES));
  if (pathType === 'ImplementationSpecific' ? path !== '' && !path.startsWith('/') : !path.startsWith('/')) {
    errors.push(invalidValue(`${field}.path`, path, 'must be an absolute path'));
  }
  if (pathType !== 'ImplementationSpecific') {
    for (const sequence of ['//', '/./', '/../', '%2f', '%2F']) {
      if (path.includes(sequence)) errors.push(invalidValue(`${field}.path`, path, `must not contain '${sequence}'`));
    }
    for (const suffix of ['/..', '/.']) {
      if (path.endsWith(suffix)) errors.push(invalidValue(`${field}.path`, path, `cannot end with '${suffix}'`));
    }
  }
  return [...errors, ...backendErrors(backend, `${field}.backend`)];
}

function backendErrors(backend: IngressBackend | undefined, field: string): FieldError[] {
  const { service, resource } = backend ?? {};
  if (service !== undefined && resource !== undefined) {
    return [invalidValue(field, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) return resource.name ? [] : [required(`${field}.resource.name`)];
  if (service === undefined) return [invalidValue(field, '', 'resource or service backend is required')];
  const errors: FieldError[] = [];
  if (!service.name) errors.push(required(`${field}.service.name`));
  const { name, number } = service.port ?? {};
  if (name && number) {
    errors.push(invalidValue(field, '', 'cannot set both port name & port number'));
  } else if (!name && !number) {
    errors.push(required(field, 'port name or number is required'));
  }
  return number ? [...errors, ...portNumber(`${field}.service.port.number`, number)] : errors;
}

function hostErrors(field: string, host: string): FieldError[] {
  if (/^[0-9.]+$/.test(host) || host.includes(':')) {
    return [invalidValue(field, host, 'must be a DNS name, not an IP address')];
  }
  if (!host.includes('*')) return invalidName(field, host, dns1123SubdomainErrors(host));
  if (WILDCARD.test(host)) return [];
  const detail =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  return [invalidValue(field, host, detail)];
}

function hosts({ spec }: Ingress): string {
  const names = (spec.rules ?? []).flatMap(({ host }) => (host ? [host] : []));
  if (names.length === 0) return '*';
  const shown = names.slice(0, 3).join(',');
  return names.length > 3 ? `${shown} + ${names.length - 3} more...` : shown;
}

function addresses({ status }: Ingress): string {
  return (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '').join(',');
}

export const IngressKind = defineKind(Ingresses, {
  definition: 'io.k8s.api.networking.v1.Ingress',
  shortNames: ['ing'],
  hasStatus: true,
  strategy: {
    prepareForCreate(ingress) {
      ingress.status = { loadBalancer: {} };
    },
    validate: specErrors,
  },
  columns: [
    text(
      'Class',
      ({ metadata, spec }) =>
        spec.ingressClassName ?? metadata.annotations?.['kubernetes.io/ingress.class'] ?? '<none>',
    ),
    text('Hosts', hosts),
    text('Address', addresses),
    text('Ports', ({ spec }) => (spec.tls?.length ? '80, 443' : '80')),
    AGE,
  ],
});
