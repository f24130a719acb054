import type { ObjectMeta } from '@fairway/kube/object/meta';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { loadBalancerName } from './names.ts';

/*
 * Recognizes what openstack-cloud-controller-manager created for a Service by its names and tags. These prove nothing
 * unless the operator declares the cluster name to be this cluster's alone.
 */

/** Upstream's name for the cluster, and its tag for a Service. */
export interface UpstreamMarks {
  readonly clusterName: string;
  readonly tag: string;
}

export function upstreamMarks(
  clusterName: string | undefined,
  service: Pick<ObjectMeta, 'namespace' | 'name'>,
): UpstreamMarks | undefined {
  return clusterName === undefined ? undefined : { clusterName, tag: loadBalancerName(clusterName, service) };
}

const PREFIX = 'kube_service_';

export function isUpstreamTag(tag: string): boolean {
  return tag.startsWith(PREFIX);
}

const DESCRIPTION = /^Kubernetes external service ([^/]+)\/(.+) from cluster ./;

/** Why the load balancer was not created by upstream for a cluster with this name; undefined if it was. */
export function notUpstreamReason(
  { name, description, tags, project_id }: Pick<LoadBalancer, 'name' | 'description' | 'tags' | 'project_id'>,
  clusterName: string,
  projectID: string,
): string | undefined {
  if (project_id !== projectID) return 'it belongs to another project';
  const [, namespace, service] = DESCRIPTION.exec(description ?? '') ?? [];
  if (namespace === undefined || service === undefined)
    return 'its description does not match the format of openstack-cloud-controller-manager';
  const expected = loadBalancerName(clusterName, { namespace, name: service });
  if (name !== expected) return `according to its description its name should be "${expected}"`;
  return tags.some(isUpstreamTag) ? undefined : 'it has no tag of openstack-cloud-controller-manager';
}

/**
 * Whether upstream created a floating IP with this description: when upstream deletes a load
 * balancer, it deletes only such floating IPs with it.
 */
export function isUpstreamFloatingIp(description: string | null | undefined): boolean {
  return description?.startsWith('Floating IP for Kubernetes external service ') ?? false;
}
