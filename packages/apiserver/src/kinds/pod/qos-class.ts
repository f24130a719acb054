import type { PodSpec } from '@fairway/kube/kinds/generated/types';
import { parseQuantity } from '@fairway/kube/object/quantity';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** Upstream's ComputePodQOS: from the CPU and memory requests and limits of the containers. */
export function qosClassOf(spec: PodSpec): QosClass {
  let isGuaranteed = true;
  let hasAnyResources = false;
  for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    for (const name of ['cpu', 'memory']) {
      const limit = resources?.limits?.[name];
      const request = resources?.requests?.[name] ?? limit;
      if (isNonZero(limit) || isNonZero(request)) hasAnyResources = true;
      if (!isNonZero(limit) || !isNonZero(request) || amount(limit) !== amount(request)) isGuaranteed = false;
    }
  }
  if (!hasAnyResources) return 'BestEffort';
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

function isNonZero(quantity: string | undefined): quantity is string {
  return quantity !== undefined && amount(quantity) > 0n;
}

function amount(quantity: string): bigint {
  return parseQuantity(quantity).nanos;
}
