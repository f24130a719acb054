import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The limited resources. */
export const LIMITED_RESOURCES = [
  'connections',
  'unauthenticatedConnections',
  'readingRequests',
  'mutatingRequests',
  'watches',
  'bodyBytes',
  'answerBytes',
] as const;
export type LimitedResource = (typeof LIMITED_RESOURCES)[number];

/** Why a server rejected a request or closed a connection. */
export type RejectionReason =
  | `${LimitedResource}.${'perHolder' | 'total'}`
  | 'pipelinedRequests'
  | 'bodyTooLarge'
  | 'bodyTimeout'
  | 'unauthenticatedTimeout'
  | 'stalled'
  | 'watchBacklog';

/** Current usage against a server's limits, and how often each limit was hit. */
export interface CountedTraffic {
  readonly inUse: (limited: LimitedResource) => number;
  readonly rejections: ReadonlyMap<RejectionReason, number>;
  /** Number of responses: `GET 2xx`. */
  readonly responses: ReadonlyMap<string, number>;
  /** Calls `observer` for each response that is not a stream. */
  observeDurations(observer: (verb: 'read' | 'write', durationMs: number) => void): void;
}

/**
 * Metrics on usage against a server's limits. No label contains a user or address, which bounds the number of series.
 */
export function addTrafficMetrics(registry: Registry, traffic: CountedTraffic): void {
  const inUse = new Gauge({
    name: 'fairway_api_in_use',
    help: "Current use of the API's limited resources, by resource: a number or bytes.",
    labelNames: ['limited'],
    registers: [],
    collect() {
      for (const limited of LIMITED_RESOURCES) this.set({ limited }, traffic.inUse(limited));
    },
  });
  const rejections = new Counter({
    name: 'fairway_api_rejections_total',
    help: 'Requests rejected and connections closed by the API because of a limit, by limit.',
    labelNames: ['reason'],
    registers: [],
    collect() {
      this.reset();
      for (const [reason, count] of traffic.rejections) this.inc({ reason }, count);
    },
  });
  const requests = new Counter({
    name: 'fairway_api_requests_total',
    help: 'Requests that the API has answered over HTTP, by method and status class; a watch counts when it begins.',
    labelNames: ['method', 'code'],
    registers: [],
    collect() {
      this.reset();
      for (const [key, count] of traffic.responses) {
        const [method = '', code = ''] = key.split(' ');
        this.inc({ method, code }, count);
      }
    },
  });
  const durations = new Histogram({
    name: 'fairway_api_request_duration_seconds',
    help: 'Time from the head of a request until its answer was ready, by whether it reads or writes; streams, such as watches, are left out.',
    labelNames: ['verb'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [],
  });
  traffic.observeDurations((verb, durationMs) => durations.observe({ verb }, durationMs / 1000));
  registry.registerMetric(durations);
  registry.registerMetric(inUse);
  registry.registerMetric(rejections);
  registry.registerMetric(requests);
}
