import { CLOUD_CREDENTIAL_ROWS } from './cloud-credential.ts';
import { CLUSTER_ROWS } from './cluster.ts';
import { CLUSTER_ACCESS_ROWS } from './cluster-access.ts';
import { CLUSTER_CNI_ROWS } from './cluster-cni.ts';
import { CLUSTER_GATEWAY_ROWS } from './cluster-gateway.ts';
import { CLUSTER_HIBERNATION_ROWS } from './cluster-hibernation.ts';
import { CLUSTER_KUBE_PROXY_ROWS } from './cluster-kube-proxy.ts';
import { CLUSTER_MAINTENANCE_ROWS } from './cluster-maintenance.ts';
import { CLUSTER_NETWORK_ROWS } from './cluster-network.ts';
import { CLUSTER_OFFER_ROWS } from './cluster-offer.ts';
import { CLUSTER_RANGES_ROWS } from './cluster-ranges.ts';
import { CLUSTER_RESET_ROWS } from './cluster-reset.ts';
import { KUBERNETES_FORCED_UPGRADE_ROWS } from './kubernetes-forced-upgrade.ts';
import { KUBERNETES_RELEASE_ROWS } from './kubernetes-release.ts';
import { KUBERNETES_ROLLOUT_ROWS } from './kubernetes-rollout.ts';
import { NODE_POOL_ROWS } from './node-pool.ts';
import { NODE_POOL_NODES_ROWS } from './node-pool-nodes.ts';
import { NODE_POOL_SERVERS_ROWS } from './node-pool-servers.ts';
import { NODE_POOL_SIZE_ROWS } from './node-pool-size.ts';
import { PLAN_ROWS } from './plan.ts';
import { PLAN_LIMITS_ROWS } from './plan-limits.ts';
import { PLAN_SERVICES_ROWS } from './plan-services.ts';
import { PLAN_STORAGE_ROWS } from './plan-storage.ts';
import type { Row, RowKind } from './row.ts';

/** Manifests that users may write, by kind, and each engine's response. */
export const TABLE: readonly { readonly kind: RowKind; readonly rows: readonly Row[] }[] = [
  { kind: 'CloudCredential', rows: CLOUD_CREDENTIAL_ROWS },
  { kind: 'Cluster', rows: CLUSTER_ROWS },
  { kind: 'Cluster', rows: CLUSTER_ACCESS_ROWS },
  { kind: 'Cluster', rows: CLUSTER_CNI_ROWS },
  { kind: 'Cluster', rows: CLUSTER_GATEWAY_ROWS },
  { kind: 'Cluster', rows: CLUSTER_HIBERNATION_ROWS },
  { kind: 'Cluster', rows: CLUSTER_KUBE_PROXY_ROWS },
  { kind: 'Cluster', rows: CLUSTER_MAINTENANCE_ROWS },
  { kind: 'Cluster', rows: CLUSTER_NETWORK_ROWS },
  { kind: 'Cluster', rows: CLUSTER_OFFER_ROWS },
  { kind: 'Cluster', rows: CLUSTER_RANGES_ROWS },
  { kind: 'Cluster', rows: CLUSTER_RESET_ROWS },
  { kind: 'KubernetesRelease', rows: KUBERNETES_RELEASE_ROWS },
  { kind: 'KubernetesRelease', rows: KUBERNETES_ROLLOUT_ROWS },
  { kind: 'KubernetesRelease', rows: KUBERNETES_FORCED_UPGRADE_ROWS },
  { kind: 'NodePool', rows: NODE_POOL_ROWS },
  { kind: 'NodePool', rows: NODE_POOL_NODES_ROWS },
  { kind: 'NodePool', rows: NODE_POOL_SERVERS_ROWS },
  { kind: 'NodePool', rows: NODE_POOL_SIZE_ROWS },
  { kind: 'Plan', rows: PLAN_ROWS },
  { kind: 'Plan', rows: PLAN_LIMITS_ROWS },
  { kind: 'Plan', rows: PLAN_SERVICES_ROWS },
  { kind: 'Plan', rows: PLAN_STORAGE_ROWS },
];
