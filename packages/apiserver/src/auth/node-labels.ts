/** Labels in kubernetes.io and k8s.io that a node may set on itself (k8s.io/kubelet/pkg/apis/well_known_labels.go). */
const KUBELET_LABELS = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]);
const KUBELET_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

/** The changed labels that a node may not set on itself, because they influence which pods it gets. */
export function labelsForbiddenToNodes(
  labels: Readonly<Record<string, string>> = {},
  old: Readonly<Record<string, string>> = {},
): string[] {
  const keys = new Set([...Object.keys(labels), ...Object.keys(old)]);
  return [...keys].filter((key) => labels[key] !== old[key] && isForbidden(key)).sort();
}

function isForbidden(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  if (isWithin(domain, 'node-restriction.kubernetes.io')) return true;
  const isKubernetes = isWithin(domain, 'kubernetes.io') || isWithin(domain, 'k8s.io');
  return isKubernetes && !KUBELET_LABELS.has(key) && !KUBELET_DOMAINS.some((allowed) => isWithin(domain, allowed));
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
