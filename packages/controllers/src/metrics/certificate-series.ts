import type { Cluster } from '@fairway/api/kinds/cluster';
import { Gauge, type Registry } from 'prom-client';

/**
 * Adds a metric for when the first certificate across all clusters expires: two series, regardless of the number of
 * clusters. The times come from the clusters' statuses, so paused clusters are included.
 */
export function addCertificateSeries(
  registry: Registry,
  clusters: { readonly list: () => Iterable<Cluster> },
  isReporting: () => boolean,
): void {
  const first = new Gauge({
    name: 'fairway_cluster_certificates_first_expiry_timestamp_seconds',
    help: "Unix time of the earliest certificate expiry across all clusters that are not hibernated, by kind: 'authority', or 'control-plane' for component certificates.",
    labelNames: ['kind'],
    registers: [],
    collect() {
      this.reset();
      if (!isReporting()) return;
      let authority = Number.POSITIVE_INFINITY;
      let controlPlane = Number.POSITIVE_INFINITY;
      for (const { status } of clusters.list()) {
        const { caNotAfter, certificatesNotAfter } = status?.credentials ?? {};
        authority = earlierMs(authority, caNotAfter);
        // These certificates are renewed at the control plane's next start.
        if (status?.phase !== 'Hibernated') controlPlane = earlierMs(controlPlane, certificatesNotAfter);
      }
      if (Number.isFinite(authority)) this.set({ kind: 'authority' }, authority / 1000);
      if (Number.isFinite(controlPlane)) this.set({ kind: 'control-plane' }, controlPlane / 1000);
    },
  });
  registry.registerMetric(first);
}

/** The earlier of two times; an invalid one is ignored. */
function earlierMs(firstMs: number, time: string | undefined): number {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? firstMs : Math.min(firstMs, ms);
}
