import type { Cluster } from '@fairway/api/kinds/cluster';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { LoadBalancerSettings } from './load-balancers/settings.ts';
import { settingsOf } from './load-balancers/settings-of-cluster.ts';

/** In what clusters of Fairway's making differ from others. */
export interface Conventions {
  /** What load balancers are like where a Service says nothing; undefined while it is unknown. */
  readonly loadBalancersOf: (cluster: Cluster, cloud: ProjectCloud) => LoadBalancerSettings | undefined;
  /** Whether the providerID of a node names its region. */
  readonly namesRegion: boolean;
  /** Whether the cluster's router has its routes although it does not carry the cluster's mark. */
  readonly takesUnmarkedRouter: boolean;
}

export const FAIRWAY_CONVENTIONS: Conventions = {
  loadBalancersOf: settingsOf,
  namesRegion: true,
  takesUnmarkedRouter: false,
};
