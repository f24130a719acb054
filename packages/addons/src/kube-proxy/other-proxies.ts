import type { ConfigMap, DaemonSet } from '@fairway/kube/kinds/generated/types';
import { imageNames } from '../image-names.ts';

/** The ConfigMap with Cilium's settings. */
export const CILIUM_CONFIG = 'cilium-config';

/** Workloads in a cluster that may implement Services. */
export interface ProxyFacts {
  readonly daemonSets: readonly DaemonSet[];
  /** ConfigMap kube-system/cilium-config. */
  readonly cilium: ConfigMap | undefined;
}

/**
 * Name of a component that replaces kube-proxy, for messages: two of them would conflict over a node's rules. Undefined
 * if no such component is found.
 */
export function findOtherProxy({ daemonSets, cilium }: ProxyFacts): string | undefined {
  const replacement = cilium?.data?.['kube-proxy-replacement'];
  if (replacement === 'true' || replacement === 'strict') {
    return `ConfigMap kube-system/${CILIUM_CONFIG} (kube-proxy-replacement: ${replacement})`;
  }
  const other = daemonSets.find(({ spec }) => spec.template.spec?.containers.some(isProxy));
  return other && `DaemonSet ${other.metadata.namespace}/${other.metadata.name}`;
}

type Container = NonNullable<DaemonSet['spec']['template']['spec']>['containers'][number];

/** kube-router replaces kube-proxy unless configured otherwise. */
function isProxy({ image = '', args = [], command = [] }: Container): boolean {
  const [name = ''] = imageNames(image);
  if (name === 'kube-router') return ![...command, ...args].includes('--run-service-proxy=false');
  return name === 'kube-proxy' || name.startsWith('kube-proxy-');
}
