import type { Alert } from './alert.ts';

/** Alerts for tenants’ clusters, their nodes and control planes, and for backups. */
export const CLUSTER_ALERTS: readonly Alert[] = [
  {
    name: 'FairwayControlPlaneDown',
    expr: 'fairway_cluster_control_plane_ready == 0 unless on (namespace, cluster) fairway_cluster_info{phase=~"Pending|Provisioning|Hibernating|Hibernated|Waking|Deleting"}',
    for: '5m',
    severity: 'critical',
    summary: 'A cluster’s API server is unavailable.',
    description:
      'The control plane of cluster {{ $labels.namespace }}/{{ $labels.cluster }} has been unavailable for 5 minutes.',
  },
  {
    name: 'FairwayClusterNotReady',
    expr: 'fairway_cluster_ready == 0 unless on (namespace, cluster) fairway_cluster_info{phase=~"Hibernated|Deleting"}',
    for: '30m',
    severity: 'warning',
    summary: 'A cluster is not Ready.',
    description: 'Cluster {{ $labels.namespace }}/{{ $labels.cluster }} has not been Ready for half an hour.',
  },
  {
    name: 'FairwayNodesMissing',
    expr: 'fairway_cluster_nodes{state="desired"} - ignoring (state) fairway_cluster_nodes{state="ready"} > 0',
    for: '30m',
    severity: 'warning',
    summary: 'A cluster has fewer Ready nodes than desired.',
    description:
      '{{ $value }} nodes of cluster {{ $labels.namespace }}/{{ $labels.cluster }} have been missing for half an hour.',
  },
  {
    name: 'FairwayManyNodesNotReady',
    expr: 'sum(fairway_machines{phase="NotReady"}) / sum(fairway_machines) > 0.1 and sum(fairway_machines) >= 10',
    for: '10m',
    severity: 'critical',
    summary: 'Many nodes are not Ready.',
    description: '{{ $value | humanizePercentage }} of all nodes are not Ready.',
  },
  {
    name: 'FairwayUpgradesHalted',
    expr: 'sum(fairway_upgrade_pools{state="Halted"}) / sum(fairway_upgrade_pools{state=~"Halted|Running"}) > 0.5 and sum(fairway_upgrade_pools{state="Halted"}) >= 3',
    for: '15m',
    severity: 'warning',
    summary: 'Most node upgrades have halted.',
    description:
      '{{ $value | humanizePercentage }} of the running rollouts of node pools have halted, because new nodes do not become Ready.',
  },
  {
    name: 'FairwayRolloutFailed',
    expr: 'max by (minor) ({__name__=~"fairway_rollout_clusters|fairway_forced_upgrade_clusters", state="failed"}) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'Control plane upgrades failed.',
    description:
      '{{ $value }} clusters of Kubernetes {{ $labels.minor }} did not reach the target version of a rollout in time.',
  },
  {
    name: 'FairwayOperationFailed',
    expr: 'sum by (kind, operation) (increase(fairway_operation_duration_seconds_count{result="Failed",operation!="Upgrade"}[1h])) > 0',
    for: '0m',
    severity: 'warning',
    summary: 'An operation failed permanently.',
    description: '{{ $labels.operation }} of a {{ $labels.kind }} failed and requires manual intervention.',
  },
  {
    name: 'FairwayClusterCreationSlow',
    expr: 'histogram_quantile(0.9, sum by (le) (rate(fairway_operation_duration_seconds_bucket{kind="Cluster",operation="Create"}[1h]))) > 900',
    for: '0m',
    severity: 'warning',
    summary: 'Cluster creation is slow.',
    description:
      'One in ten clusters created in the last hour took more than {{ $value | humanizeDuration }} to become Ready.',
  },
  {
    name: 'FairwayControlPlanesRestart',
    expr: 'sum by (instance, runtime) (increase(fairway_control_plane_restarts_total[1h])) > 10',
    for: '0m',
    severity: 'warning',
    summary: 'Control plane processes keep exiting.',
    description:
      'Control plane processes on {{ $labels.instance }} were restarted {{ $value | humanize }} times in the last hour.',
  },
  {
    name: 'FairwayControlPlanesStopped',
    expr: 'sum by (instance, runtime) (fairway_control_planes{state="stopped"}) > 2 and sum by (instance, runtime) (fairway_control_planes{state="stopped"}) > 0.2 * sum by (instance, runtime) (fairway_control_planes)',
    for: '10m',
    severity: 'critical',
    summary: 'Many control planes are stopped.',
    description: '{{ $value }} control planes on {{ $labels.instance }} are not running.',
  },
  {
    name: 'FairwayDatabaseNearQuota',
    expr: 'fairway_cluster_etcd_usage_bytes / fairway_cluster_etcd_quota_bytes > 0.85',
    for: '15m',
    severity: 'warning',
    summary: 'A cluster’s database is nearly full.',
    description:
      'The database of cluster {{ $labels.namespace }}/{{ $labels.cluster }} uses {{ $value | humanizePercentage }} of its quota.',
  },
  {
    name: 'FairwaySnapshotOld',
    expr: 'time() - fairway_cluster_etcd_snapshot_timestamp_seconds > 36 * 3600 unless on (namespace, cluster) fairway_cluster_info{phase="Hibernated"}',
    for: '1h',
    severity: 'warning',
    summary: 'A cluster’s newest snapshot is old.',
    description:
      'The newest snapshot of cluster {{ $labels.namespace }}/{{ $labels.cluster }} was taken {{ $value | humanizeDuration }} ago.',
  },
  {
    name: 'FairwaySnapshotsFail',
    expr: 'fairway_cluster_etcd_snapshots_failing == 1',
    for: '1h',
    severity: 'warning',
    summary: 'Snapshots of a cluster are failing.',
    description:
      'Scheduled snapshots of cluster {{ $labels.namespace }}/{{ $labels.cluster }} have been failing for an hour.',
  },
  {
    name: 'FairwayAuthoritiesEnd',
    expr: 'min(fairway_cluster_certificates_first_expiry_timestamp_seconds{kind="authority"}) - time() < 180 * 86400',
    for: '1h',
    severity: 'warning',
    summary: 'A cluster’s certificate authority expires soon.',
    description:
      'The certificate authority that expires first, across all clusters, expires in {{ $value | humanizeDuration }}; after that, the nodes and all kubeconfigs of its cluster stop working.',
  },
  {
    name: 'FairwayControlPlaneCertificatesEnd',
    expr: 'min(fairway_cluster_certificates_first_expiry_timestamp_seconds{kind="control-plane"}) - time() < 30 * 86400',
    for: '1h',
    severity: 'critical',
    summary: 'Certificates of a control plane are not renewed.',
    description:
      'The certificate that expires first, across all control planes, expires in {{ $value | humanizeDuration }} and is three months overdue for renewal.',
  },
  {
    name: 'FairwayBackupOverdue',
    expr: 'fairway_backup_overdue_seconds > 3600',
    for: '0m',
    severity: 'warning',
    summary: 'Backups of Fairway’s own objects are overdue.',
    description:
      'A backup of Fairway’s objects to the object store has been overdue for {{ $value | humanizeDuration }}.',
  },
];
