import { controllerRef } from '@fairway/kube/controller/owners';
import type { Pod, PodTemplateSpec } from '@fairway/kube/kinds/generated/types';
import { cloneJson } from '@fairway/kube/object/json';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { dns1123SubdomainErrors } from '@fairway/kube/object/names';

/** The pod for a template, owned by `owner` and named after it (pkg/controller.GetPodFromTemplate). */
export function podFromTemplate(template: PodTemplateSpec | undefined, owner: KubeObject, type: ResourceType): Pod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const { namespace, name = '' } = owner.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: podNamePrefix(name),
      ...(namespace !== undefined && { namespace }),
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
      ...(finalizers && { finalizers: [...finalizers] }),
      ownerReferences: [controllerRef(owner, type)],
    },
    spec: cloneJson(template?.spec ?? { containers: [] }),
  };
}

function podNamePrefix(owner: string): string {
  // The prefix must be a valid name; a truncated one may end in a dot.
  return dns1123SubdomainErrors(`${owner}x`).length === 0 ? `${owner}-` : owner;
}
