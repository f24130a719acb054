import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Budget } from './budget.ts';
import type { HttpMethod } from './transport.ts';

export interface AttemptLabels {
  readonly cloud: string;
  readonly service: string;
  readonly method: HttpMethod;
  /** The path as documented, so the number of series does not grow with the number of objects. */
  readonly resource: string;
}

/** Projects with their own series; the others share `other`. */
export const MAX_PROJECT_SERIES = 500;

/** `code` is a status class (`2xx`), or the reason if there was no response (`timeout`, `network`). */
export class OpenStackMetrics {
  readonly #requests: Counter<'cloud' | 'service' | 'method' | 'resource' | 'code'>;
  readonly #durations: Histogram<'cloud' | 'service' | 'method'>;
  readonly #retries: Counter<'cloud' | 'service' | 'reason'>;
  readonly #waiting: Gauge<'cloud'>;
  readonly #budgets: Gauge<'cloud'>;
  readonly #projectCounters: Counter<'cloud' | 'project' | 'service' | 'code'>;
  readonly #waits: Histogram<'cloud'>;
  readonly #projects = new Set<string>();

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'fairway_openstack_requests_total',
      help: 'Requests sent to OpenStack services, counting each attempt.',
      labelNames: ['cloud', 'service', 'method', 'resource', 'code'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'fairway_openstack_request_duration_seconds',
      help: 'Time from sending a request to the end of its response.',
      labelNames: ['cloud', 'service', 'method'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    });
    this.#retries = new Counter({
      name: 'fairway_openstack_retries_total',
      help: 'Retries, by the error that caused them.',
      labelNames: ['cloud', 'service', 'reason'],
      registers,
    });
    this.#waiting = new Gauge({
      name: 'fairway_openstack_budget_waiting',
      help: 'Calls queued because the budget of the cloud is used up.',
      labelNames: ['cloud'],
      registers,
    });
    this.#budgets = new Gauge({
      name: 'fairway_openstack_budget_requests_per_minute',
      help: "Calls per minute allowed by Fairway's rate limit for the cloud.",
      labelNames: ['cloud'],
      registers,
    });
    this.#projectCounters = new Counter({
      name: 'fairway_openstack_project_requests_total',
      help: "Requests sent to OpenStack services by project, counting each attempt; beyond 500 projects the project is 'other'.",
      labelNames: ['cloud', 'project', 'service', 'code'],
      registers,
    });
    this.#waits = new Histogram({
      name: 'fairway_openstack_budget_wait_seconds',
      help: "How long requests waited for Fairway's rate limit for the cloud.",
      labelNames: ['cloud'],
      buckets: [0.001, 0.01, 0.1, 0.5, 1, 5, 15, 60, 180],
      registers,
    });
  }

  /** `project` is its id; empty if unknown, as in a token request. */
  recordAttempt(labels: AttemptLabels, code: string, durationMs: number, project = ''): void {
    this.#requests.inc({ ...labels, code });
    const { cloud, service, method } = labels;
    this.#projectCounters.inc({ cloud, project: this.#projectLabel(project), service, code });
    this.#durations.observe({ cloud, service, method }, durationMs / 1000);
  }

  recordRetry(cloud: string, service: string, reason: string): void {
    this.#retries.inc({ cloud, service, reason });
  }

  budget(cloud: string, { waiting, requestsPerMinute }: Pick<Budget, 'waiting' | 'requestsPerMinute'>): void {
    this.#waiting.set({ cloud }, waiting);
    this.#budgets.set({ cloud }, requestsPerMinute);
  }

  recordWait(cloud: string, durationMs: number): void {
    this.#waits.observe({ cloud }, durationMs / 1000);
  }

  #projectLabel(project: string): string {
    if (this.#projects.has(project)) return project;
    if (this.#projects.size >= MAX_PROJECT_SERIES) return 'other';
    this.#projects.add(project);
    return project;
  }
}
