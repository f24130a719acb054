import { Gauge, type Registry } from 'prom-client';
import type { OwnCertificate } from './own-certificate.ts';

/** Adds when the operator's own certificate ends: Fairway renews all others itself. */
export function addCertificateMetrics(registry: Registry, own: Pick<OwnCertificate, 'validToMs'>): void {
  const end = new Gauge({
    name: 'fairway_serving_certificate_expiry_timestamp_seconds',
    help: "When the operator's own serving certificate ends; without one there is no series.",
    registers: [],
    collect() {
      this.set(own.validToMs / 1000);
    },
  });
  registry.registerMetric(end);
}
