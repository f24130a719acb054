import { API_VERSION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { KnownCluster } from './dependencies.ts';
import { NAMESPACE } from './server-machine.ts';

export function clusterKey({ name }: Pick<KnownCluster, 'name'>): string {
  return `${NAMESPACE}/${name}`;
}

/** The cluster's discovered networks. */
export type ClusterNetwork = NonNullable<NonNullable<Cluster['status']>['network']>;

/** The synthetic Cluster for the cloud provider's controllers; `network` is undefined until it has been discovered. */
export function clusterObject(known: KnownCluster, network: ClusterNetwork | undefined, projectID?: string): Cluster {
  const { uid, name, podCIDR, routerID } = known;
  const podRoutes = routerID === undefined ? 'None' : 'Router';
  return {
    apiVersion: API_VERSION,
    kind: clusters.kind,
    metadata: { namespace: NAMESPACE, name, uid },
    // The schema fills in the defaults.
    spec: clusters.spec.parse({ network: { podRoutes } }) as Cluster['spec'],
    status: {
      ...(projectID !== undefined && { projectID }),
      ...(network && { network }),
      ...(podCIDR !== undefined && { podCIDR }),
    },
  };
}
