import type { Node, Pod, Taint } from '@fairway/kube/kinds/generated/types';

interface NodeOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: Taint[];
  /** Allocatable; 2 CPUs, 8 GiB and 110 pods by default. */
  readonly cpu?: string;
  readonly memory?: string;
}

export function aNode(name: string, { labels = {}, taints, cpu = '2', memory = '8Gi' }: NodeOptions = {}): Node {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: taints ? { taints } : {},
    status: { allocatable: { cpu, memory, pods: '110' } },
  };
}

/** A pod in the `default` namespace. */
export function aPod(name: string, spec: Partial<Pod['spec']> = {}, labels: Record<string, string> = {}): Pod {
  return { metadata: { name, namespace: 'default', labels }, spec: { containers: [{ name: 'main' }], ...spec } };
}

/** The spec of a pod with these requests. */
export function specWithRequests(cpu: string, memory?: string): Pick<Pod['spec'], 'containers'> {
  return { containers: [{ name: 'main', resources: { requests: { cpu, ...(memory !== undefined && { memory }) } } }] };
}
