import type { DaemonSet, PodSpec } from '@fairway/kube/kinds/generated/types';
import { ADDON_NAMESPACE } from './addon.ts';
import { CONFIG_ANNOTATION } from './revision.ts';

export interface NodeAgent {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Name of the ServiceAccount, in the add-ons' namespace. */
  readonly account: string;
  /** Changing this value replaces the pods. */
  readonly configRevision: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The add-on's own pod settings. */
  readonly pod: PodSpec;
}

/**
 * A DaemonSet that runs a pod on the host network of each node, regardless of taints, because a node is
 * unusable without it. The DaemonSet updates a tenth of the nodes at a time.
 */
export function nodeAgent({ name, labels, account, configRevision, annotations, pod }: NodeAgent): DaemonSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: ADDON_NAMESPACE, labels },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
      template: {
        metadata: { labels, annotations: { [CONFIG_ANNOTATION]: configRevision, ...annotations } },
        spec: {
          priorityClassName: 'system-node-critical',
          serviceAccountName: account,
          hostNetwork: true,
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          tolerations: [{ operator: 'Exists' }],
          ...pod,
        },
      },
    },
  };
}
