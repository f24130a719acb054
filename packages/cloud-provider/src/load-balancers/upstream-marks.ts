import type { ObjectMeta } from '@fairway/kube/object/meta';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { loadBalancerName } from './names.ts';

/*
 * How cloud-provider-openstack's openstack-cloud-controller-manager marks what it has made for a Service: by names, and tags that are the same. They prove nothing by
 * themselves: they count where the operator says which cluster name was this cluster's alone.
 */

/** The name that upstream knew the cluster by, and by which it tags what is a Service's. */
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

/** Why a load balancer is none that upstream made in a cluster of this name; undefined: it is one. */
export function foreignness(
  { name, description, tags, project_id }: Pick<LoadBalancer, 'name' | 'description' | 'tags' | 'project_id'>,
  clusterName: string,
  projectID: string,
): string | undefined {
  if (project_id !== projectID) return 'it is another project’s';
  const [, namespace, service] = DESCRIPTION.exec(description ?? '') ?? [];
  if (namespace === undefined || service === undefined) return 'its description is not one that upstream writes';
  const expected = loadBalancerName(clusterName, { namespace, name: service });
  if (name !== expected) return `by its description its name would be "${expected}"`;
  return tags.some(isUpstreamTag) ? undefined : 'it has no tag that upstream writes';
}

/** Whether upstream has made it: it deletes no other with a load balancer. */
export function isUpstreamFloatingIp(description: string | null | undefined): boolean {
  return description?.startsWith('Floating IP for Kubernetes external service ') ?? false;
}
