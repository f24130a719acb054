import type { Clock } from '@fairway/kube/clock';
import type { AdmissionPlugin } from '@fairway/kube/server/admission';
import type { ObjectReader } from '@fairway/kube/server/object-reader';
import { limitRanger } from './limit-ranger.ts';
import { alwaysPullImages, defaultTolerationSeconds, priorityAdmission, taintNodesByCondition } from './pods.ts';
import { resourceQuotaAdmission } from './resource-quota.ts';
import { serviceAccountAdmission } from './service-account.ts';
import { serviceAllocator } from './service-allocator.ts';
import { defaultStorageClass, storageObjectInUseProtection } from './storage.ts';

export interface HollowAdmissionOptions {
  readonly reader: () => ObjectReader;
  readonly clock: Clock;
  readonly random: () => number;
  readonly serviceCidr: string;
  /** Plugins beyond those that Kubernetes enables, and what is off whatever is enabled. */
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

/** What a cluster's admission does by itself, in kube-apiserver's order; what `createAuth` gives comes before the last one. */
export function hollowAdmission(options: HollowAdmissionOptions, auth: readonly AdmissionPlugin[]): AdmissionPlugin[] {
  const { reader, clock, random, enabled, disabled } = options;
  const isOn = (name: string) => enabled.includes(name) && !disabled.includes(name);
  return [
    ...(isOn(alwaysPullImages.name) ? [alwaysPullImages] : []),
    limitRanger(reader),
    serviceAccountAdmission(reader, random),
    taintNodesByCondition,
    priorityAdmission(reader),
    defaultTolerationSeconds,
    defaultStorageClass(reader),
    storageObjectInUseProtection,
    serviceAllocator(options),
    ...auth,
    resourceQuotaAdmission(reader, clock),
  ];
}
