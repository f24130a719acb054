import type {
  Container,
  EphemeralContainer,
  LifecycleHandler,
  PodSpec,
  PodTemplateSpec,
  Probe,
} from '@fairway/kube/kinds/generated/types';
import { setDefaults } from '../defaulting.ts';
import { canonicalizeQuantities } from '../quantities.ts';
import { defaultVolume } from './volume-defaults.ts';

type AnyContainer = Container | EphemeralContainer;

const DEFAULT_GRACE_PERIOD_SECONDS = 30;

/** Upstream's defaults for a pod's spec, including specs in templates (pkg/apis/core/v1/defaults.go). */
export function defaultPodSpec(spec: PodSpec): void {
  spec.containers ??= [];
  mirrorServiceAccount(spec);
  setDefaults(spec, {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: DEFAULT_GRACE_PERIOD_SECONDS,
    schedulerName: 'default-scheduler',
  });
  // Very old clients sent a negative period for the shortest one.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  spec.securityContext ??= {};
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  for (const container of containers) defaultContainer(container);
  if (spec.hostNetwork) for (const container of containers) exposeOnHost(container);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  canonicalizeQuantities(spec.overhead);
}

export function defaultPodTemplate(template: PodTemplateSpec | undefined): void {
  if (!template) return;
  template.metadata ??= {};
  if (template.spec) defaultPodSpec(template.spec);
}

/** Defaults that apply to pods, but not to pod templates. */
export function defaultPodOnlyFields(spec: PodSpec): void {
  spec.enableServiceLinks ??= true;
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) defaultRequestsToLimits(container);
}

/** `serviceAccount` is the old name of `serviceAccountName`; responses contain both. */
function mirrorServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function defaultContainer(container: AnyContainer): void {
  setDefaults(container, {
    imagePullPolicy: pullPolicyOf(container.image ?? ''),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  container.resources ??= {};
  canonicalizeQuantities(container.resources.limits);
  canonicalizeQuantities(container.resources.requests);
  for (const port of container.ports ?? []) setDefaults(port, { protocol: 'TCP' });
  for (const variable of container.env ?? []) {
    const field = variable.valueFrom?.fieldRef;
    if (field) setDefaults(field, { apiVersion: 'v1' });
    const resource = variable.valueFrom?.resourceFieldRef;
    if (resource) setDefaults(resource, { divisor: '0' });
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe) defaultProbe(probe);
  }
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop]) {
    if (handler) defaultHttpGet(handler);
  }
}

function defaultProbe(probe: Probe): void {
  setDefaults(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  // Zero counts as unset: the fields are plain integers upstream.
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  defaultHttpGet(probe);
  if (probe.grpc) probe.grpc.service ??= '';
}

function defaultHttpGet({ httpGet }: Pick<LifecycleHandler, 'httpGet'>): void {
  if (httpGet) setDefaults(httpGet, { path: '/', scheme: 'HTTP' });
}

/** `Always` for the tag `latest` or no tag; digests and other tags are considered fixed. */
export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  const [reference = ''] = image.split('@');
  if (image.includes('@')) return 'IfNotPresent';
  const lastPart = reference.slice(reference.lastIndexOf('/') + 1);
  const tag = lastPart.includes(':') ? lastPart.slice(lastPart.indexOf(':') + 1) : 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function exposeOnHost(container: AnyContainer): void {
  for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
}

/** A limit without a request sets the request to the limit. */
function defaultRequestsToLimits({ resources }: AnyContainer): void {
  if (!resources?.limits) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}
