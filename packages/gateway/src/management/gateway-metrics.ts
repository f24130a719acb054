import { addTrafficMetrics, type CountedTraffic } from '@fairway/apiserver/server/traffic-metrics';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { GatewaySubresource } from '../requests/gateway-subresources.ts';

/** Destination of a request: forwarded, handled by the gateway itself, or rejected before its destination was known. */
export type Destination =
  | 'api-server'
  | 'discovery'
  | GatewaySubresource
  | 'auditevents'
  | 'nowhere'
  | 'route'
  | 'review'
  | 'unknown';

export type ReviewOutcome = 'allowed' | 'refused' | 'failed';

/**
 * The gateway's metrics. They have no labels for the caller or object, so that cardinality does not grow with tenants.
 */
export class GatewayMetrics {
  readonly #requests: Counter<'destination' | 'code'>;
  readonly #watches: Gauge;
  readonly #reviews: Histogram<'resource' | 'outcome'>;

  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    this.#requests = new Counter({
      name: 'fairway_gateway_requests_total',
      help: 'Requests served by the gateway, by destination and status class.',
      labelNames: ['destination', 'code'],
      registers,
    });
    this.#watches = new Gauge({
      name: 'fairway_gateway_watches',
      help: 'Watches currently open through the gateway.',
      registers,
    });
    this.#reviews = new Histogram({
      name: 'fairway_gateway_review_duration_seconds',
      help: "Duration of admission reviews for kube-apiserver; for 'failed' reviews the write was rejected without a decision.",
      labelNames: ['resource', 'outcome'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
  }

  /** Registers gauges for the gateway's usage of its limits. */
  registerTrafficMetrics(traffic: CountedTraffic): void {
    addTrafficMetrics(this.#registry, traffic);
  }

  /** `status` is 0 if the client disconnected before the response. */
  recordResponse(destination: Destination, status: number): void {
    const code = status === 0 ? 'gone' : `${Math.floor(status / 100)}xx`;
    this.#requests.inc({ destination, code });
  }

  /** Counts a watch until the returned function is called. */
  watching(): () => void {
    this.#watches.inc();
    return () => this.#watches.dec();
  }

  observeReview(resource: string, outcome: ReviewOutcome, durationMs: number): void {
    this.#reviews.observe({ resource, outcome }, durationMs / 1000);
  }
}
