import type { ObjectMeta } from '@fairway/kube/object/meta';

/** Octavia's maximum name length. */
const MAX_LENGTH = 255;

/**
 * Names in the format of cloud-provider-openstack, which users and their tools are familiar with; they are not used for
 * lookup.
 */
export function loadBalancerName(clusterName: string, { namespace = '', name = '' }: ObjectMeta): string {
  return `kube_service_${clusterName}_${namespace}_${name}`.slice(0, MAX_LENGTH);
}

export function loadBalancerDescription(clusterName: string, { namespace = '', name = '' }: ObjectMeta): string {
  return `Kubernetes external service ${namespace}/${name} from cluster ${clusterName}`.slice(0, MAX_LENGTH);
}

/** Name of the listener, pool or monitor of the Service port with this index. */
export function partName(part: 'listener' | 'pool' | 'monitor', index: number, loadBalancer: string): string {
  return `${part}_${index}_${loadBalancer}`.slice(0, MAX_LENGTH);
}
