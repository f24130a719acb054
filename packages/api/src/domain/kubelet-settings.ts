import type { FieldError } from '@fairway/kube/object/field-error';
import type { KubeletSettings } from '../kinds/kubelet-settings.ts';
import type { Plan } from '../kinds/plan.ts';
import { durationMs } from './duration.ts';
import { EVICTION_SIGNALS } from './eviction-signals.ts';
import { compareQuantities } from './quantity.ts';
import { kubeReserved, type MachineSize } from './reserved-resources.ts';

const RESOURCES = ['cpu', 'memory', 'ephemeral-storage', 'pid'];
/** Groups of namespaced sysctls (kubelet's own list). */
const NAMESPACED_SYSCTLS = ['kernel.shm', 'kernel.msg', 'kernel.sem', 'fs.mqueue.', 'net.'];

const AMOUNT_PATTERN = /^[0-9]{1,15}(\.[0-9]{1,3})?(k|M|G|T|Ki|Mi|Gi|Ti)?$/;
const CPU_PATTERN = /^[0-9]{1,6}(\.[0-9]{1,3}|m)?$/;
const PERCENT_PATTERN = /^([0-9]{1,2}(\.[0-9]{1,3})?|100)%$/;

/** Fairway's defaults for pools. */
export const EVICTION_HARD: Readonly<Record<string, string>> = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
};
export const SHUTDOWN_GRACE_PERIOD = '60s';
export const SHUTDOWN_GRACE_PERIOD_CRITICAL = '10s';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** The kubelet's own defaults. */
const IMAGE_GC_HIGH_PERCENT = 85;
const IMAGE_GC_LOW_PERCENT = 80;

/** Maximum pods per node, within the plan's limit. */
export function maxPodsOf(settings: Pick<KubeletSettings, 'maxPods'> | undefined, plan: Plan): number {
  const { maxPodsPerNode } = plan.spec;
  return Math.min(settings?.maxPods ?? maxPodsPerNode, maxPodsPerNode);
}

/** What the kubelet reserves on a machine of this size, by resource. */
export function reservedOf(
  settings: Pick<KubeletSettings, 'kubeReserved' | 'systemReserved' | 'evictionHard'> | undefined,
  size: MachineSize,
) {
  return {
    kubeReserved: { ...kubeReserved(size), ...settings?.kubeReserved } as Readonly<Record<string, string>>,
    systemReserved: settings?.systemReserved ?? {},
    evictionHard: { ...EVICTION_HARD, ...settings?.evictionHard },
  };
}

/** Resources that pods can't use on a machine of this size: reserved resources and hard eviction thresholds. Pure. */
export function nonAllocatableResources(
  settings: Parameters<typeof reservedOf>[0],
  size: MachineSize,
): { readonly cpus: number; readonly memoryBytes: number; readonly diskBytes: number } {
  const { kubeReserved: kube, systemReserved: system, evictionHard } = reservedOf(settings, size);
  const reserved = (resource: string) => amountOf(kube[resource] ?? '0') + amountOf(system[resource] ?? '0');
  const available = (signal: string, total: number) => {
    const text = evictionHard[signal] ?? '0';
    return text.endsWith('%') ? (total * Number.parseFloat(text)) / 100 : amountOf(text);
  };
  return {
    cpus: reserved('cpu'),
    memoryBytes: reserved('memory') + available('memory.available', size.memoryMiB * MIB),
    diskBytes: reserved('ephemeral-storage') + available('nodefs.available', size.diskGiB * GIB),
  };
}

/**
 * Settings that the kubelet would reject or that would have no effect. `size` is the size of the nodes, if known. Pure.
 */
export function kubeletErrors(
  settings: KubeletSettings,
  size: MachineSize | undefined,
  field = 'spec.kubelet',
): FieldError[] {
  const errors = [
    ...amountErrors(settings, field),
    ...evictionErrors(settings, field),
    ...combinationErrors(settings, field),
    ...sysctlErrors(settings, field),
  ];
  return errors.length === 0 && size ? capacityErrors(settings, size, field) : errors;
}

function invalid(field: string, value: unknown, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, value, detail };
}

function amountErrors(settings: KubeletSettings, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['kubeReserved', 'systemReserved'] as const) {
    for (const [resource, value] of Object.entries(settings[name] ?? {})) {
      const at = `${field}.${name}[${resource.slice(0, 63)}]`;
      if (!RESOURCES.includes(resource))
        errors.push(invalid(at, resource.slice(0, 63), `must be one of ${RESOURCES.join(', ')}`));
      else if (!(resource === 'cpu' ? CPU_PATTERN : AMOUNT_PATTERN).test(value)) {
        const example = { cpu: '100m', pid: '1000' }[resource] ?? '1Gi';
        errors.push(invalid(at, value, `must be an amount such as ${example}`));
      }
    }
  }
  const { containerLogMaxSize: size } = settings;
  if (size !== undefined && (!AMOUNT_PATTERN.test(size) || isLess(size, '1Mi') || isLess('1Gi', size))) {
    errors.push(invalid(`${field}.containerLogMaxSize`, size, 'must be a size from 1Mi to 1Gi, such as 50Mi'));
  }
  return errors;
}

function evictionErrors(settings: KubeletSettings, field: string): FieldError[] {
  const { evictionHard = {}, evictionSoft = {}, evictionSoftGracePeriod = {}, evictionMaxPodGracePeriod } = settings;
  const errors: FieldError[] = [];
  for (const [name, thresholds] of Object.entries({ evictionHard, evictionSoft, evictionSoftGracePeriod })) {
    for (const [signal, value] of Object.entries(thresholds)) {
      const at = `${field}.${name}[${signal.slice(0, 63)}]`;
      if (!EVICTION_SIGNALS.includes(signal))
        errors.push(invalid(at, signal.slice(0, 63), `must be one of ${EVICTION_SIGNALS.join(', ')}`));
      else if (name !== 'evictionSoftGracePeriod' && !isThreshold(value)) {
        errors.push(
          invalid(at, value, 'must be a quantity such as 200Mi or a percentage below 100% such as 10%, and not 0'),
        );
      }
    }
  }
  if (errors.length > 0) return errors;
  for (const [signal, soft] of Object.entries(evictionSoft)) {
    const at = `${field}.evictionSoft[${signal}]`;
    if (evictionSoftGracePeriod[signal] === undefined) {
      errors.push({
        type: 'FieldValueRequired',
        field: `${field}.evictionSoftGracePeriod[${signal}]`,
        detail: 'is required because evictionSoft has the signal: set a duration such as 90s',
      });
    }
    const hard = evictionHard[signal] ?? EVICTION_HARD[signal];
    if (hard !== undefined && isComparable(hard, soft) && !isGreater(soft, hard)) {
      errors.push(
        invalid(at, soft, `must be more than evictionHard, which is ${hard}: otherwise it never takes effect`),
      );
    }
  }
  for (const [signal, period] of Object.entries(evictionSoftGracePeriod)) {
    if (evictionSoft[signal] !== undefined) continue;
    errors.push(
      invalid(
        `${field}.evictionSoftGracePeriod[${signal}]`,
        period,
        'has no effect without evictionSoft for the signal',
      ),
    );
  }
  if (evictionMaxPodGracePeriod !== undefined && Object.keys(evictionSoft).length === 0) {
    const detail = 'has no effect without evictionSoft: remove it';
    errors.push(invalid(`${field}.evictionMaxPodGracePeriod`, evictionMaxPodGracePeriod, detail));
  }
  return errors;
}

function combinationErrors(settings: KubeletSettings, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const {
    imageGCHighThresholdPercent: high = IMAGE_GC_HIGH_PERCENT,
    imageGCLowThresholdPercent: low = IMAGE_GC_LOW_PERCENT,
  } = settings;
  if (low >= high) {
    const name =
      settings.imageGCLowThresholdPercent === undefined ? 'imageGCHighThresholdPercent' : 'imageGCLowThresholdPercent';
    const detail = `imageGCLowThresholdPercent (${low}) must be less than imageGCHighThresholdPercent (${high}): set both`;
    errors.push(invalid(`${field}.${name}`, settings[name], detail));
  }
  const { maxParallelImagePulls: pulls, serializeImagePulls } = settings;
  if (pulls !== undefined && pulls > 1 && serializeImagePulls !== false) {
    const detail = 'must be 1 unless serializeImagePulls is false: set both';
    errors.push(invalid(`${field}.maxParallelImagePulls`, pulls, detail));
  }
  const { shutdownGracePeriod: all = SHUTDOWN_GRACE_PERIOD } = settings;
  const { shutdownGracePeriodCriticalPods: critical = SHUTDOWN_GRACE_PERIOD_CRITICAL } = settings;
  if (durationMs(critical) > durationMs(all)) {
    const name = settings.shutdownGracePeriod === undefined ? 'shutdownGracePeriodCriticalPods' : 'shutdownGracePeriod';
    const detail = `shutdownGracePeriodCriticalPods (${critical}) is part of shutdownGracePeriod (${all}) and must not be more: set both`;
    errors.push(invalid(`${field}.${name}`, settings[name], detail));
  }
  const cpus = [settings.kubeReserved?.['cpu'], settings.systemReserved?.['cpu']];
  const isNone = cpus[0] !== undefined && cpus.every((each) => each === undefined || isZero(each));
  if (settings.cpuManagerPolicy === 'static' && isNone) {
    const detail = 'static requires reserved CPU: remove kubeReserved.cpu, or make it more than 0';
    errors.push(invalid(`${field}.cpuManagerPolicy`, 'static', detail));
  }
  return errors;
}

function sysctlErrors({ allowedUnsafeSysctls = [] }: KubeletSettings, field: string): FieldError[] {
  return allowedUnsafeSysctls.flatMap((sysctl, index): FieldError[] => {
    const stem = sysctl.replace('*', '');
    if (NAMESPACED_SYSCTLS.some((group) => stem.startsWith(group))) return [];
    const detail =
      'is not namespaced and would apply to the whole node: kernel.shm*, kernel.msg*, kernel.sem, fs.mqueue.* and net.* are namespaced';
    return [invalid(`${field}.allowedUnsafeSysctls[${index}]`, sysctl, detail)];
  });
}

/** Reservations must leave room for pods. */
function capacityErrors(settings: KubeletSettings, size: MachineSize, field: string): FieldError[] {
  if (!settings.kubeReserved && !settings.systemReserved && !settings.evictionHard) return [];
  const kept = nonAllocatableResources(settings, size);
  const taken = [
    { name: 'CPU', resource: 'cpu', total: size.vcpus, taken: kept.cpus },
    { name: 'memory', resource: 'memory', total: size.memoryMiB * MIB, taken: kept.memoryBytes },
    { name: 'disk', resource: 'ephemeral-storage', total: size.diskGiB * GIB, taken: kept.diskBytes },
  ];
  return taken.flatMap(({ name, resource, total, taken: used }): FieldError[] => {
    if (total === 0 || used < total) return [];
    const detail = `kubeReserved, systemReserved and evictionHard reserve all ${name} (${resource}) of the flavor and leave none for pods: lower them`;
    return [{ type: 'FieldValueForbidden', field, detail }];
  });
}

function isThreshold(text: string): boolean {
  const isValid = AMOUNT_PATTERN.test(text) || (PERCENT_PATTERN.test(text) && text !== '100%');
  return isValid && Number.parseFloat(text) > 0;
}

function isComparable(a: string, b: string): boolean {
  return a.endsWith('%') === b.endsWith('%');
}

function isGreater(a: string, b: string): boolean {
  if (a.endsWith('%')) return Number.parseFloat(a) > Number.parseFloat(b);
  return isLess(b, a);
}

function isLess(a: string, b: string): boolean {
  return compareQuantities(a, b) < 0;
}

function isZero(text: string): boolean {
  return Number.parseFloat(text) === 0;
}

const UNITS: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** In bytes, or as a number of CPUs. */
function amountOf(text: string): number {
  const [, factor = 1] = Object.entries(UNITS).find(([unit]) => text.endsWith(unit)) ?? [];
  return Number.parseFloat(text) * factor;
}
