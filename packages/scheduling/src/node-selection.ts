import type {
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  Taint,
  Toleration,
} from '@fairway/kube/kinds/generated/types';

/** Whether `spec.nodeSelector` and the required node affinity admit the node. */
export function matchesNodeAffinity(pod: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(pod.spec?.nodeSelector ?? {})) if (labels[key] !== value) return false;
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** Whether the node matches a term; an empty term matches no node. */
export function matchesTerm(term: NodeSelectorTerm, node: Node): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => matches(requirement, node.metadata.labels?.[requirement.key])) &&
    matchFields.every((requirement) => requirement.key === 'metadata.name' && matches(requirement, node.metadata.name))
  );
}

function matches({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** The first untolerated taint, if any; ignores PreferNoSchedule by default. */
export function untoleratedTaint(pod: Pod, node: Node, effects = ['NoSchedule', 'NoExecute']): Taint | undefined {
  const tolerations = pod.spec?.tolerations ?? [];
  return node.spec?.taints?.find(
    (taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

/** Like k8s.io/api Toleration.ToleratesTaint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === 'Exists') return true;
  return Boolean(toleration.key) && (toleration.value ?? '') === (taint.value ?? '');
}
