import type { DaemonSet, Node, Pod, Toleration } from '@fairway/kube/kinds/generated/types';
import { DaemonSets } from '@fairway/kube/kinds/resources';
import { matchesNodeAffinity, untoleratedTaint } from '@fairway/scheduling/node-selection';
import { podFromTemplate } from '../workloads/pod-from-template.ts';

export const HASH_LABEL = 'controller-revision-hash';

/** Tolerations added to daemon pods (AddOrUpdateDaemonPodTolerations). */
const TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const HOST_NETWORK: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** The daemon pod for one node: node affinity makes the scheduler bind it there. */
export function daemonPod(set: DaemonSet, nodeName: string, hash: string): Pod {
  const pod = podFromTemplate(set.spec.template, set, DaemonSets);
  const { spec } = pod;
  pod.metadata.labels = { ...pod.metadata.labels, [HASH_LABEL]: hash };
  spec.tolerations = daemonTolerations(spec);
  const requirement = { key: 'metadata.name', operator: 'In', values: [nodeName] };
  spec.affinity = {
    ...spec.affinity,
    nodeAffinity: {
      ...spec.affinity?.nodeAffinity,
      // The template's own node affinity has already been checked.
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [requirement] }] },
    },
  };
  return pod;
}

function daemonTolerations({ tolerations = [], hostNetwork }: Pod['spec']): Toleration[] {
  const added = hostNetwork ? [...TOLERATIONS, HOST_NETWORK] : TOLERATIONS;
  const isTolerated = ({ key, effect }: Toleration) =>
    tolerations.some((other) => other.key === key && other.effect === effect);
  return [
    ...tolerations,
    ...added.filter((toleration) => !isTolerated(toleration)).map((toleration) => ({ ...toleration })),
  ];
}

/** The node that a daemon pod is meant for, bound or not. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms?.flatMap(({ matchFields = [] }) => matchFields).find(({ key }) => key === 'metadata.name')?.values?.[0];
}

/** Whether a daemon pod should run on the node, and whether an existing one may continue to run. */
export function nodeShouldRun(set: DaemonSet, node: Node): { readonly start: boolean; readonly keep: boolean } {
  const { spec = { containers: [] } } = set.spec.template;
  if (spec.nodeName && spec.nodeName !== node.metadata.name) return { start: false, keep: false };
  const pod: Pod = { metadata: {}, spec: { ...spec, tolerations: daemonTolerations(spec) } };
  if (!matchesNodeAffinity(pod, node)) return { start: false, keep: false };
  const keep = untoleratedTaint(pod, node, ['NoExecute']) === undefined;
  return { start: keep && untoleratedTaint(pod, node) === undefined, keep };
}
