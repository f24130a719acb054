import type { PodSpec, PodTemplateSpec, Sysctl, Toleration, Volume } from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { dns1123LabelErrors, dns1123SubdomainErrors } from '@fairway/kube/object/names';
import { duplicate, duplicates, forbidden, invalidName, invalidValue, oneOf, required } from '../field-errors.ts';
import { labelsErrors, taintEffectErrors } from '../validation-common.ts';
import { affinityErrors, topologySpreadErrors } from './affinity-validation.ts';
import { containerErrors } from './container-validation.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const MAX_INT32 = 2 ** 31 - 1;

/** Upstream's ValidatePodSpec, for cases that occur in practice. */
export function podSpecErrors(spec: PodSpec, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const volumes = spec.volumes ?? [];
  errors.push(...volumesErrors(volumes, `${field}.volumes`), ...containersErrors(spec, field));
  errors.push(...oneOf(`${field}.restartPolicy`, spec.restartPolicy, RESTART_POLICIES, true));
  errors.push(...oneOf(`${field}.dnsPolicy`, spec.dnsPolicy, DNS_POLICIES, true));
  errors.push(...deadlineErrors(`${field}.activeDeadlineSeconds`, spec.activeDeadlineSeconds));
  errors.push(...labelsErrors(`${field}.nodeSelector`, spec.nodeSelector));
  errors.push(...tolerationsErrors(spec.tolerations ?? [], `${field}.tolerations`));
  for (const name of ['serviceAccountName', 'nodeName', 'priorityClassName', 'runtimeClassName'] as const) {
    const value = spec[name];
    if (value) errors.push(...invalidName(`${field}.${name}`, value, dns1123SubdomainErrors(value)));
  }
  for (const name of ['hostname', 'subdomain'] as const) {
    const value = spec[name];
    if (value) errors.push(...invalidName(`${field}.${name}`, value, dns1123LabelErrors(value)));
  }
  for (const [index, secret] of (spec.imagePullSecrets ?? []).entries()) {
    if (!secret.name) errors.push(required(`${field}.imagePullSecrets[${index}].name`));
  }
  errors.push(...sysctlsErrors(spec.securityContext?.sysctls ?? [], `${field}.securityContext.sysctls`));
  errors.push(...affinityErrors(spec.affinity, `${field}.affinity`));
  errors.push(...topologySpreadErrors(spec.topologySpreadConstraints ?? [], `${field}.topologySpreadConstraints`));
  return errors;
}

export function podTemplateErrors(template: PodTemplateSpec | undefined, field: string): FieldError[] {
  if (template?.spec === undefined) return [required(`${field}.spec.containers`)];
  return [
    ...labelsErrors(`${field}.labels`, template.metadata?.labels),
    ...podSpecErrors(template.spec, `${field}.spec`),
    ...(template.spec.ephemeralContainers?.length
      ? [forbidden(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}

function containersErrors(spec: PodSpec, field: string): FieldError[] {
  const { containers, initContainers = [], volumes = [], hostNetwork = false } = spec;
  const volumeNames = new Set(volumes.map((volume) => volume.name));
  const context = { volumeNames, hostNetwork };
  const errors: FieldError[] = [];
  if (containers.length === 0) errors.push(required(`${field}.containers`));
  for (const [index, container] of containers.entries()) {
    errors.push(...containerErrors(container, `${field}.containers[${index}]`, { ...context, role: 'app' }));
  }
  for (const [index, container] of initContainers.entries()) {
    const role = container.restartPolicy === 'Always' ? 'sidecar' : 'init';
    errors.push(...containerErrors(container, `${field}.initContainers[${index}]`, { ...context, role }));
  }
  const seen = new Set<string>();
  for (const list of ['containers', 'initContainers'] as const) {
    for (const [index, { name }] of (spec[list] ?? []).entries()) {
      if (name && seen.has(name)) errors.push(duplicate(`${field}.${list}[${index}].name`, name));
      seen.add(name);
    }
  }
  return errors;
}

function volumesErrors(volumes: readonly Volume[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, volume] of volumes.entries()) {
    const path = `${field}[${index}]`;
    if (volume.name) errors.push(...invalidName(`${path}.name`, volume.name, dns1123LabelErrors(volume.name)));
    else errors.push(required(`${path}.name`));
    const [, ...others] = Object.keys(volume).filter((source) => source !== 'name');
    for (const source of others) {
      errors.push(forbidden(`${path}.${source}`, 'may not specify more than 1 volume type'));
    }
    const claimName = volume.persistentVolumeClaim?.claimName;
    if (volume.persistentVolumeClaim && !claimName) errors.push(required(`${path}.persistentVolumeClaim.claimName`));
    if (volume.secret && !volume.secret.secretName) errors.push(required(`${path}.secret.secretName`));
    if (volume.configMap && !volume.configMap.name) errors.push(required(`${path}.configMap.name`));
    if (volume.hostPath && !volume.hostPath.path) errors.push(required(`${path}.hostPath.path`));
  }
  const names = volumes.map((volume) => volume.name);
  return [...errors, ...duplicates(names, (index) => `${field}[${index}].name`)];
}

function deadlineErrors(field: string, seconds: number | undefined): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= MAX_INT32)) return [];
  return [invalidValue(field, seconds, `must be between 1 and ${MAX_INT32}, inclusive`)];
}

const SYSCTL_NAME = String.raw`^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`;
// oxlint-disable-next-line fairway/linear-regexps -- of at most MAX_SYSCTL_NAME characters
const SYSCTL_PATTERN = new RegExp(SYSCTL_NAME);
const MAX_SYSCTL_NAME = 253;
const SYSCTL_RULE = `must have at most ${MAX_SYSCTL_NAME} characters and match regex ${SYSCTL_NAME}`;

function sysctlsErrors(sysctls: readonly Sysctl[], field: string): FieldError[] {
  const errors = sysctls.flatMap(({ name }, index) => {
    const path = `${field}[${index}].name`;
    if (!name) return [required(path)];
    if (name.length <= MAX_SYSCTL_NAME && SYSCTL_PATTERN.test(name)) return [];
    return [invalidValue(path, name, SYSCTL_RULE)];
  });
  const names = sysctls.map(({ name }) => name);
  return [...errors, ...duplicates(names, (index) => `${field}[${index}].name`)];
}

export function tolerationsErrors(tolerations: readonly Toleration[], field: string): FieldError[] {
  return tolerations.flatMap((toleration, index) => tolerationErrors(toleration, `${field}[${index}]`));
}

function tolerationErrors(toleration: Toleration, path: string): FieldError[] {
  const { key = '', operator = '', value = '', effect, tolerationSeconds } = toleration;
  const errors: FieldError[] = [];
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidValue(`${path}.operator`, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalidValue(`${path}.effect`, effect ?? '', detail));
  }
  if (operator === 'Exists' && value !== '') {
    errors.push(invalidValue(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  }
  errors.push(...oneOf(`${path}.operator`, operator, ['Equal', 'Exists']));
  return [...errors, ...taintEffectErrors(`${path}.effect`, effect, true)];
}
