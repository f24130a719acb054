import type { Informer } from '@fairway/kube/client/informer';
import type { Pod } from '@fairway/kube/kinds/generated/types';

const BY_NODE = 'node';
const BY_NAMESPACE = 'namespace';

function nodeOf({ spec }: Pod): string[] {
  return spec.nodeName ? [spec.nodeName] : [];
}

function namespaceOf({ metadata }: Pod): string[] {
  return [metadata.namespace ?? ''];
}

export function indexPodsByNode(pods: Informer<Pod>): Informer<Pod> {
  pods.addIndex(BY_NODE, nodeOf);
  return pods;
}

export function podsOnNode(pods: Informer<Pod>, node: string): Pod[] {
  return pods.byIndex(BY_NODE, node);
}

export function indexPodsByNamespace(pods: Informer<Pod>): Informer<Pod> {
  pods.addIndex(BY_NAMESPACE, namespaceOf);
  return pods;
}

export function podsIn(pods: Informer<Pod>, namespace: string): Pod[] {
  return pods.byIndex(BY_NAMESPACE, namespace);
}
