import type { Container, Pod } from '@fairway/kube/kinds/generated/types';

/** Fields that a hollow node never reads. */
const UNUSED_SPEC_FIELDS = ['affinity', 'topologySpreadConstraints', 'tolerations'] as const;

/** Drops fields that a hollow node never reads, in place. */
export function trim(pod: Pod): Pod {
  for (const field of UNUSED_SPEC_FIELDS) delete pod.spec[field];
  const containers = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
  const hasScript = containers.some(readsEnvironment);
  const volumes = pod.spec.volumes?.filter(
    (volume) => volume.persistentVolumeClaim ?? volume.ephemeral ?? (hasScript && (volume.hostPath ?? volume.emptyDir)),
  );
  if (volumes?.length) pod.spec.volumes = volumes;
  else delete pod.spec.volumes;
  for (const container of containers) {
    trimResources(container);
    delete container.securityContext;
    if (readsEnvironment(container)) continue;
    delete container.env;
    delete container.envFrom;
    delete container.volumeMounts;
  }
  return pod;
}

function trimResources(container: Container): void {
  const { requests, limits } = container.resources ?? {};
  if (requests === undefined && limits === undefined) delete container.resources;
  else container.resources = { ...(requests && { requests }), ...(limits && { limits }) };
}

/** Whether the container's start or exit may depend on variables or files. */
function readsEnvironment({ command = [], args = [], volumeMounts = [] }: Container): boolean {
  if (volumeMounts.some(({ subPathExpr }) => subPathExpr)) return true;
  return [...command, ...args].some((word) => /\$|\[|\b(?:touch|test|cat)\b|>/.test(word));
}
