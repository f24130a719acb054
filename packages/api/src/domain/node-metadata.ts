import type { FieldError } from '@fairway/kube/object/field-error';
import type { NodeTemplate } from '../kinds/node-pool.ts';

/** Labels in reserved domains that a kubelet may set on its own node (NodeRestriction admission), all derived from its server. */
const KUBELET_LABELS = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);

const RESERVED_DOMAINS = ['kubernetes.io', 'k8s.io'];
const ALLOWED_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io', 'node-restriction.kubernetes.io'];
/** Additional domains allowed for a template's labels: Fairway's controllers may set labels that a kubelet may not. */
const TEMPLATE_DOMAINS = [...ALLOWED_DOMAINS, 'node-role.kubernetes.io'];
const OWN_DOMAIN = 'fairway.dev';

/** Taints that Kubernetes or the cloud provider sets according to a node's state. */
const LIFECYCLE_TAINTS = /^(node\.kubernetes\.io|node\.cloudprovider\.kubernetes\.io)\//;

/**
 * A share of the 256 KiB for a node's annotations, some of which are set by the kubelet, the CNI plugin and the cloud
 * provider.
 */
const MAX_ANNOTATIONS_BYTES = 192 * 1024;
/** Labels are part of a server's user data, which Nova limits to 64 KiB in base64. */
const MAX_LABELS_BYTES = 16 * 1024;

const NAME_PATTERN = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Whether a kubelet may set the label itself, through `--node-labels`; controllers set all other labels. */
export function isKubeletLabel(key: string): boolean {
  const domain = domainOf(key);
  if (KUBELET_LABELS.has(key)) return true;
  if (isWithin(domain, ['node-restriction.kubernetes.io'])) return false;
  return isWithin(domain, ALLOWED_DOMAINS) || !isWithin(domain, RESERVED_DOMAINS);
}

/** Validates the labels, annotations, finalizers and taints of a pool's template. */
export function nodeTemplateErrors(template: NodeTemplate, field: string): FieldError[] {
  const { labels = {}, annotations = {}, finalizers = [] } = template.metadata;
  return [
    ...sizeErrors(labels, MAX_LABELS_BYTES, `${field}.metadata.labels`),
    ...sizeErrors(annotations, MAX_ANNOTATIONS_BYTES, `${field}.metadata.annotations`),
    ...Object.entries(labels).flatMap(([key, value]) => labelErrors(key, value, `${field}.metadata.labels`)),
    ...Object.keys(annotations).flatMap((key) => keyErrors(key.toLowerCase(), `${field}.metadata.annotations`)),
    ...finalizers.flatMap((key, index) => finalizerErrors(key, `${field}.metadata.finalizers[${index}]`)),
    ...(template.spec.taints ?? []).flatMap((taint, index) => taintErrors(taint, `${field}.spec.taints[${index}]`)),
  ];
}

function sizeErrors(pairs: Readonly<Record<string, string>>, maxBytes: number, field: string): FieldError[] {
  const bytes = Object.entries(pairs).reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0);
  if (bytes <= maxBytes) return [];
  const detail = `has ${bytes} bytes in total: must be at most ${maxBytes}`;
  return [{ type: 'FieldValueInvalid', field, value: `${Object.keys(pairs).length} of them`, detail }];
}

function labelErrors(key: string, value: string, field: string): FieldError[] {
  const errors = keyErrors(key, field);
  if (errors.length > 0) return errors;
  const domain = domainOf(key);
  const valueProblem = labelValueProblem(value);
  if (valueProblem) errors.push({ type: 'FieldValueInvalid', field: `${field}[${key}]`, value, detail: valueProblem });
  if (KUBELET_LABELS.has(key)) {
    errors.push({
      type: 'FieldValueForbidden',
      field: `${field}[${key}]`,
      detail: 'is set from the server: remove it',
    });
  } else if (isWithin(domain, RESERVED_DOMAINS) && !isWithin(domain, TEMPLATE_DOMAINS)) {
    errors.push({
      type: 'FieldValueForbidden',
      field: `${field}[${key}]`,
      detail: `the domain ${domain} is reserved by Kubernetes: use your own domain, or one of ${TEMPLATE_DOMAINS.join(', ')}`,
    });
  } else if (isWithin(domain, [OWN_DOMAIN])) {
    errors.push({
      type: 'FieldValueForbidden',
      field: `${field}[${key}]`,
      detail: `the domain ${OWN_DOMAIN} is reserved for Fairway`,
    });
  }
  return errors;
}

function taintErrors(taint: { key: string; value?: string | undefined }, field: string): FieldError[] {
  const errors = keyErrors(taint.key, `${field}.key`);
  if (errors.length > 0) return errors;
  if (LIFECYCLE_TAINTS.test(taint.key)) {
    errors.push({
      type: 'FieldValueForbidden',
      field: `${field}.key`,
      detail: `${taint.key} is set and cleared by Kubernetes`,
    });
  }
  const valueProblem = labelValueProblem(taint.value ?? '');
  if (valueProblem)
    errors.push({ type: 'FieldValueInvalid', field: `${field}.value`, value: taint.value, detail: valueProblem });
  return errors;
}

function finalizerErrors(key: string, field: string): FieldError[] {
  const errors = keyErrors(key, field);
  if (errors.length > 0 || key.includes('/')) return errors;
  return [{ type: 'FieldValueInvalid', field, value: key, detail: 'must have a domain prefix: example.com/name' }];
}

/** apimachinery's IsQualifiedName: an optional DNS subdomain, a slash, and a name of at most 63 characters. */
function keyErrors(key: string, field: string): FieldError[] {
  const slash = key.indexOf('/');
  const domain = slash === -1 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  const isDomainValid = domain === undefined || (domain.length <= 253 && DNS_SUBDOMAIN.test(domain));
  if (isDomainValid && name.length <= 63 && NAME_PATTERN.test(name)) return [];
  const detail = 'must be a name of at most 63 letters, digits, "-", "_" and ".", after an optional domain and "/"';
  return [{ type: 'FieldValueInvalid', field, value: key, detail }];
}

/** Why an object can't have this label; undefined if it can. */
export function labelProblem(key: string, value: string): string | undefined {
  return keyErrors(key, '')[0]?.detail ?? labelValueProblem(value);
}

function labelValueProblem(value: string): string | undefined {
  if (value === '' || (value.length <= 63 && NAME_PATTERN.test(value))) return undefined;
  return 'must be empty or at most 63 letters, digits, "-", "_" and ".", starting and ending with a letter or digit';
}

function domainOf(key: string): string {
  const slash = key.indexOf('/');
  return slash === -1 ? '' : key.slice(0, slash);
}

function isWithin(domain: string, parents: readonly string[]): boolean {
  return parents.some((parent) => domain === parent || domain.endsWith(`.${parent}`));
}
