import type { FieldError } from '@fairway/kube/object/field-error';
import { effectiveNetworking } from '../domain/effective-networking.ts';
import { compareQuantities } from '../domain/quantity.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import { limitError } from '../limits/notes.ts';
import { type ClusterAdmission, isUndecided } from './cluster-admission.ts';

/** Validates the pod network and kube-proxy against the plan. Both are immutable; their settings are not. */
export function optionErrors(admission: ClusterAdmission, plan: Plan): FieldError[] {
  const { cluster, old } = admission;
  return [...(isUndecided(admission) ? choiceErrors(cluster, plan) : []), ...settingErrors(cluster, old, plan)];
}

/** Warnings about valid settings that leave the cluster without Services, and about settings that a cluster keeps when it moves to another plan. */
export function optionWarnings({ spec }: Cluster, old: Cluster | undefined, plan: PlanSpec | undefined): string[] {
  if (plan === undefined) return [];
  if (old !== undefined) return old.spec.plan === spec.plan ? [] : unchangedOptionWarnings(old, spec.plan, plan);
  const { type = plan.cni.default } = spec.cni;
  const { mode = plan.kubeProxy.default } = spec.kubeProxy;
  if (type !== 'none' || mode !== 'none') return [];
  return [
    'spec.cni.type: none: without kube-proxy, the pod network that you install must also implement Services, such as Cilium with kubeProxyReplacement',
  ];
}

/** A cluster's pod network and kube-proxy mode never change. */
function unchangedOptionWarnings({ spec, status }: Cluster, name: string, { cni, kubeProxy }: PlanSpec): string[] {
  if (status?.podCIDR === undefined) return [];
  const unchangedOptionWarning = (what: string, value: string | undefined, allowed: readonly string[]) =>
    value === undefined || allowed.includes(value)
      ? []
      : [
          `spec.plan: ${name}: the cluster keeps ${what} ${value}; the plan gives ${allowed.join(' or ')} to new clusters`,
        ];
  return [
    ...unchangedOptionWarning('pod network', status.cni ?? spec.cni.type, cni.allowed),
    ...unchangedOptionWarning('kube-proxy mode', status.kubeProxyMode ?? spec.kubeProxy.mode, kubeProxy.allowed),
  ];
}

function choiceErrors({ spec }: Cluster, plan: Plan): FieldError[] {
  const errors: FieldError[] = [];
  const { cni, kubeProxy } = spec;
  if (cni.type !== undefined && !plan.spec.cni.allowed.includes(cni.type)) {
    errors.push(
      limitError('cni.allowed', notAllowedError('spec.cni.type', cni.type, plan.spec.cni.allowed, plan), cni.type),
    );
  }
  if (kubeProxy.mode !== undefined && !plan.spec.kubeProxy.allowed.includes(kubeProxy.mode)) {
    const error = notAllowedError('spec.kubeProxy.mode', kubeProxy.mode, plan.spec.kubeProxy.allowed, plan);
    errors.push(limitError('kubeProxy.allowed', error, kubeProxy.mode));
  }
  const mode = kubeProxy.mode ?? plan.spec.kubeProxy.default;
  if (errors.length === 0 && (cni.type ?? plan.spec.cni.default) === 'canal' && mode === 'none') {
    const field = kubeProxy.mode === undefined ? 'spec.cni.type' : 'spec.kubeProxy.mode';
    const value = kubeProxy.mode ?? cni.type;
    const detail =
      'canal needs kube-proxy for Services, but the cluster has none: choose a mode, or another pod network';
    errors.push({ type: 'FieldValueInvalid', field, value, detail });
  }
  return errors;
}

function settingErrors(cluster: Cluster, old: Cluster | undefined, plan: Plan): FieldError[] {
  const errors: FieldError[] = [];
  const { cni, kubeProxy } = cluster.spec;
  const { cni: type, kubeProxyMode: mode } = effectiveNetworking(
    { spec: cluster.spec, ...(old?.status && { status: old.status }) },
    plan.spec,
  );
  if (cni.cilium !== undefined && type !== 'cilium' && old?.spec.cni.cilium === undefined) {
    const detail = `is only for CNI cilium, but the cluster has ${type}: remove it`;
    errors.push({ type: 'FieldValueForbidden', field: 'spec.cni.cilium', detail });
  }
  const { iptables } = kubeProxy;
  if (iptables !== undefined && mode !== 'iptables' && old?.spec.kubeProxy.iptables === undefined) {
    const currentMode = mode === 'none' ? 'the cluster has no kube-proxy' : `the cluster has mode ${mode}`;
    const detail = `is only for mode iptables, but with plan "${plan.metadata.name}" ${currentMode}: remove it`;
    errors.push({ type: 'FieldValueForbidden', field: 'spec.kubeProxy.iptables', detail });
  }
  for (const part of ['backendResources', 'frontendResources'] as const) {
    const { limits, requests } = cni.cilium?.hubble?.ui?.[part] ?? {};
    for (const name of ['cpu', 'memory'] as const) {
      const limit = limits?.[name];
      const request = requests?.[name];
      if (limit === undefined || request === undefined || compareQuantities(limit, request) >= 0) continue;
      const field = `spec.cni.cilium.hubble.ui.${part}.limits.${name}`;
      const detail = `must not be less than requests.${name} (${request}): raise it, or lower the request`;
      errors.push({ type: 'FieldValueInvalid', field, value: limit, detail });
    }
  }
  return errors;
}

function notAllowedError(field: string, value: string, allowed: readonly string[], plan: Plan): FieldError {
  const detail = `plan "${plan.metadata.name}" supports ${allowed.map((name) => `"${name}"`).join(', ')}`;
  return { type: 'FieldValueNotSupported', field, value, detail };
}
