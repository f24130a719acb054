import type { ConfigMap, DaemonSet } from '@fairway/kube/kinds/generated/types';
import { imageNames } from '../image-names.ts';

/** Where Cilium keeps its settings. */
export const CILIUM_CONFIG = 'cilium-config';

/** What there is in a cluster that may implement Services. */
export interface ProxyFacts {
  readonly daemonSets: readonly DaemonSet[];
  /** ConfigMap kube-system/cilium-config. */
  readonly cilium: ConfigMap | undefined;
}

/**
 * What does kube-proxy's work in a cluster under a name of its own, for people: two at a time disagree about the rules of a node. Undefined where
 * nothing is known to.
 */
export function otherProxy({ daemonSets, cilium }: ProxyFacts): string | undefined {
  const replacement = cilium?.data?.['kube-proxy-replacement'];
  if (replacement === 'true' || replacement === 'strict') {
    return `ConfigMap kube-system/${CILIUM_CONFIG} (kube-proxy-replacement: ${replacement})`;
  }
  const other = daemonSets.find(({ spec }) => spec.template.spec?.containers.some(isProxy));
  return other && `DaemonSet ${other.metadata.namespace}/${other.metadata.name}`;
}

type Container = NonNullable<DaemonSet['spec']['template']['spec']>['containers'][number];

/** kube-router does it unless it is told not to. */
function isProxy({ image = '', args = [], command = [] }: Container): boolean {
  const [name = ''] = imageNames(image);
  if (name === 'kube-router') return ![...command, ...args].includes('--run-service-proxy=false');
  return name === 'kube-proxy' || name.startsWith('kube-proxy-');
}
