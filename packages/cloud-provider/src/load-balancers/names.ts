import type { ObjectMeta } from '@fairway/kube/object/meta';

/** Octavia's limit of a name. */
const MAX_LENGTH = 255;

/** The names that cloud-provider-openstack gives, which people and their tools know; nothing is found by them. */
export function loadBalancerName(clusterName: string, { namespace = '', name = '' }: ObjectMeta): string {
  return `kube_service_${clusterName}_${namespace}_${name}`.slice(0, MAX_LENGTH);
}

export function loadBalancerDescription(clusterName: string, { namespace = '', name = '' }: ObjectMeta): string {
  return `Kubernetes external service ${namespace}/${name} from cluster ${clusterName}`.slice(0, MAX_LENGTH);
}

/** Of the listener, pool or monitor of the Service's port with this index. */
export function partName(part: 'listener' | 'pool' | 'monitor', index: number, loadBalancer: string): string {
  return `${part}_${index}_${loadBalancer}`.slice(0, MAX_LENGTH);
}
