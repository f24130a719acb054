import { Gauge, type Registry } from 'prom-client';
import type { OwnCertificate } from './own-certificate.ts';

/** Exports the expiry of the operator's own certificate; Fairway renews all other certificates itself. */
export function addCertificateMetrics(registry: Registry, servingCertificate: Pick<OwnCertificate, 'validToMs'>): void {
  const end = new Gauge({
    name: 'fairway_serving_certificate_expiry_timestamp_seconds',
    help: "Expiry of the operator's own serving certificate, as a Unix time; absent without one.",
    registers: [],
    collect() {
      this.set(servingCertificate.validToMs / 1000);
    },
  });
  registry.registerMetric(end);
}
