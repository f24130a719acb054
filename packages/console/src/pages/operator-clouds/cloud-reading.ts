import type { Sample } from '../operator/metrics-text.ts';

/** The outcome of a call, by who must act: the cloud responded, refused it, failed, or did not respond. */
export const CALL_OUTCOMES = ['answered', 'refused', 'failed', 'silent'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** A replica's counts for one service since its start. */
export interface ServiceCounts {
  readonly calls: Readonly<Record<CallOutcome, number>>;
  readonly retries: number;
  readonly seconds: number;
}

/** A replica's counts for one cloud since its start, and its current state. */
export interface CloudReading {
  readonly services: ReadonlyMap<string, ServiceCounts>;
  /** Calls that are waiting for the budget. */
  readonly waiting: number;
  /** Calls per minute that the budget allows; undefined: the replica does not report it. */
  readonly budget: number | undefined;
  readonly waits: number;
  readonly waitedSeconds: number;
  readonly lists: readonly ListAge[];
}

/** Lists that controllers read, for one kind of resource. */
export interface ListAge {
  readonly resource: string;
  readonly ageSeconds: number;
  /** Projects whose last list request failed. */
  readonly failing: number;
}

export interface Reading {
  readonly atMs: number;
  readonly clouds: ReadonlyMap<string, CloudReading>;
}

interface ReadingDraft {
  services: Map<string, { calls: Record<CallOutcome, number>; retries: number; seconds: number }>;
  waiting: number;
  budget: number | undefined;
  waits: number;
  waitedSeconds: number;
  lists: Map<string, { resource: string; ageSeconds: number; failing: number }>;
}

export const CLOUD_METRICS = 'fairway_openstack_';

/** Sums the metrics of `fairway_openstack_…` by cloud and service. */
export function readingOf(samples: readonly Sample[], atMs: number): Reading {
  const clouds = new Map<string, ReadingDraft>();
  for (const { name, labels, value } of samples) {
    const { cloud, service = '', code = '', resource = '' } = labels;
    if (cloud === undefined) continue;
    const draft = clouds.get(cloud) ?? emptyDraft();
    clouds.set(cloud, draft);
    switch (name.slice(CLOUD_METRICS.length)) {
      case 'requests_total':
        serviceIn(draft, service).calls[outcomeOf(code)] += value;
        break;
      case 'retries_total':
        serviceIn(draft, service).retries += value;
        break;
      case 'request_duration_seconds_sum':
        serviceIn(draft, service).seconds += value;
        break;
      case 'budget_waiting':
        draft.waiting = value;
        break;
      case 'budget_requests_per_minute':
        draft.budget = value;
        break;
      case 'budget_wait_seconds_sum':
        draft.waitedSeconds = value;
        break;
      case 'budget_wait_seconds_count':
        draft.waits = value;
        break;
      case 'cache_age_seconds':
        listIn(draft, resource).ageSeconds = value;
        break;
      case 'caches_failing':
        listIn(draft, resource).failing = value;
        break;
    }
  }
  const read = [...clouds].map(([name, draft]): [string, CloudReading] => [
    name,
    { ...draft, lists: [...draft.lists.values()].sort((a, b) => b.ageSeconds - a.ageSeconds) },
  ]);
  return { atMs, clouds: new Map(read.sort(([a], [b]) => a.localeCompare(b))) };
}

/** `code` is a status class, or why there was no response. */
function outcomeOf(code: string): CallOutcome {
  if (/^[123]/.test(code)) return 'answered';
  if (code.startsWith('4')) return 'refused';
  return code.startsWith('5') ? 'failed' : 'silent';
}

function emptyDraft(): ReadingDraft {
  return { services: new Map(), waiting: 0, budget: undefined, waits: 0, waitedSeconds: 0, lists: new Map() };
}

function serviceIn({ services }: ReadingDraft, name: string) {
  const found = services.get(name) ?? {
    calls: { answered: 0, refused: 0, failed: 0, silent: 0 },
    retries: 0,
    seconds: 0,
  };
  services.set(name, found);
  return found;
}

function listIn({ lists }: ReadingDraft, resource: string) {
  const found = lists.get(resource) ?? { resource, ageSeconds: 0, failing: 0 };
  lists.set(resource, found);
  return found;
}
