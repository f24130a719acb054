import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Informer } from '@fairway/kube/client/informer';
import { Gauge, type Registry } from 'prom-client';

/** Maximum number of clusters with their own series; each has nine. */
export const MAX_CLUSTER_SERIES = 2000;

const CLUSTER_LABELS = ['namespace', 'cluster'] as const;

/**
 * Series for individual clusters, derived from their status on each scrape. Only these series grow in number with the
 * number of clusters, up to a limit.
 */
export function addClusterSeries(
  registry: Registry,
  clusters: Informer<Cluster>,
  isReporting: () => boolean,
  limit = MAX_CLUSTER_SERIES,
): void {
  const each = (gauge: Gauge, read: (cluster: Cluster, by: { namespace: string; cluster: string }) => void) => {
    gauge.reset();
    if (!isReporting()) return;
    for (const cluster of shown(clusters, limit)) {
      const { namespace = '', name = '' } = cluster.metadata;
      read(cluster, { namespace, cluster: name });
    }
  };
  const gauges = [
    new Gauge({
      name: 'fairway_cluster_info',
      help: 'Information about a cluster; always 1.',
      labelNames: [...CLUSTER_LABELS, 'plan', 'version', 'phase', 'project'],
      registers: [],
      collect() {
        each(this, ({ spec, status }, by) => {
          const { version = '', phase = 'Pending', projectID: project = '' } = status ?? {};
          this.set({ ...by, plan: spec.plan, version, phase, project }, 1);
        });
      },
    }),
    new Gauge({
      name: 'fairway_cluster_ready',
      help: 'Whether a cluster is Ready.',
      labelNames: CLUSTER_LABELS,
      registers: [],
      collect() {
        each(this, (cluster, by) => this.set(by, isTrue(cluster, 'Ready') ? 1 : 0));
      },
    }),
    new Gauge({
      name: 'fairway_cluster_control_plane_ready',
      help: "Whether a cluster's control plane is serving.",
      labelNames: CLUSTER_LABELS,
      registers: [],
      collect() {
        each(this, (cluster, by) => this.set(by, isTrue(cluster, 'ControlPlaneReady') ? 1 : 0));
      },
    }),
    new Gauge({
      name: 'fairway_cluster_nodes',
      help: 'Nodes of a cluster by state: desired, current, ready, up_to_date.',
      labelNames: [...CLUSTER_LABELS, 'state'],
      registers: [],
      collect() {
        each(this, ({ status }, by) => {
          const { desired = 0, current = 0, ready = 0, upToDate = 0 } = status?.nodes ?? {};
          for (const [state, count] of Object.entries({ desired, current, ready, up_to_date: upToDate })) {
            this.set({ ...by, state }, count);
          }
        });
      },
    }),
    new Gauge({
      name: 'fairway_cluster_etcd_usage_bytes',
      help: "Size of a cluster's database, if its runtime reports it.",
      labelNames: CLUSTER_LABELS,
      registers: [],
      collect() {
        each(this, ({ status }, by) => {
          if (status?.etcd?.usageBytes !== undefined) this.set(by, status.etcd.usageBytes);
        });
      },
    }),
    new Gauge({
      name: 'fairway_cluster_etcd_quota_bytes',
      help: "Maximum size of a cluster's database.",
      labelNames: CLUSTER_LABELS,
      registers: [],
      collect() {
        each(this, ({ status }, by) => {
          if (status?.etcd !== undefined) this.set(by, status.etcd.quotaBytes);
        });
      },
    }),
    new Gauge({
      name: 'fairway_cluster_etcd_snapshot_timestamp_seconds',
      help: "Unix time of the newest snapshot of a cluster's database.",
      labelNames: CLUSTER_LABELS,
      registers: [],
      collect() {
        each(this, ({ status }, by) => {
          const newest = status?.etcd?.snapshots?.[0];
          if (newest !== undefined) this.set(by, Date.parse(newest.takenAt) / 1000);
        });
      },
    }),
    new Gauge({
      name: 'fairway_cluster_etcd_snapshots_failing',
      help: "Whether due snapshots of a cluster's database are failing.",
      labelNames: CLUSTER_LABELS,
      registers: [],
      collect() {
        each(this, (cluster, by) => {
          const condition = conditionOf(cluster, 'SnapshotsReady');
          if (condition !== undefined) this.set(by, condition.status === 'False' ? 1 : 0);
        });
      },
    }),
    new Gauge({
      name: 'fairway_cluster_series_omitted',
      help: 'Clusters beyond the limit for per-cluster series.',
      registers: [],
      collect() {
        this.set(isReporting() ? Math.max(0, clusters.size - limit) : 0);
      },
    }),
  ];
  for (const gauge of gauges) registry.registerMetric(gauge);
}

/** The oldest clusters in the cache, so that a new cluster does not displace any of them. */
function* shown(clusters: Informer<Cluster>, limit: number): Generator<Cluster> {
  let left = limit;
  for (const cluster of clusters.list()) {
    if (left-- <= 0) return;
    yield cluster;
  }
}

function conditionOf({ status }: Cluster, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}

function isTrue(cluster: Cluster, type: string): boolean {
  return conditionOf(cluster, type)?.status === 'True';
}
