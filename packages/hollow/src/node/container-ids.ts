import { createHash } from 'node:crypto';
import type { Pod } from '@fairway/kube/kinds/generated/types';

/** ID of the container's nth restart. */
export function containerId(pod: Pod, name: string, restarts: number): string {
  return `containerd://${digest(`${pod.metadata.uid}/${name}/${restarts}`)}`;
}

export function imageIdOf(image: string): string {
  return `${repositoryOf(image)}@sha256:${digest(image)}`;
}

/** `docker.io/library/nginx:1.27` → `docker.io/library/nginx`. */
function repositoryOf(image: string): string {
  const [reference = ''] = image.split('@');
  const lastSlash = reference.lastIndexOf('/');
  const colon = reference.indexOf(':', lastSlash + 1);
  return colon === -1 ? reference : reference.slice(0, colon);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
