import type { Alert } from './alert.ts';

/** A recording rule. */
export interface Recording {
  readonly record: string;
  readonly expr: string;
}

const DAYS = 30;
/** Below this number of requests per hour, a ratio is not worth an alert. */
const MIN_REQUESTS_PER_HOUR = 100;

/** A service level objective of the API over 30 days; `budget` is the allowed ratio of bad requests. */
interface Objective {
  /** Part of rule names, such as `errors`. */
  readonly name: string;
  /** Part of alert names, such as `ErrorBudget`. */
  readonly alert: string;
  /** For example, 0.001 for 99.9%. */
  readonly budget: number;
  readonly bad: (window: string) => string;
  readonly total: (window: string) => string;
  readonly words: { readonly promise: string; readonly bad: string };
}

const responseRate = (window: string) => `sum(rate(fairway_api_requests_total[${window}]))`;
const requestRate = (window: string) => `sum(rate(fairway_api_request_duration_seconds_count[${window}]))`;

const OBJECTIVES: readonly Objective[] = [
  {
    name: 'errors',
    alert: 'FairwayApiErrorBudget',
    budget: 0.001,
    bad: (window) => `(sum(rate(fairway_api_requests_total{code="5xx"}[${window}])) or vector(0))`,
    total: responseRate,
    words: { promise: '99.9 % of requests succeed without a server error', bad: 'returned 5xx' },
  },
  {
    name: 'slow',
    alert: 'FairwayApiLatencyBudget',
    budget: 0.01,
    bad: (window) =>
      `(${requestRate(window)} - sum(rate(fairway_api_request_duration_seconds_bucket{le=~"1|1.0"}[${window}])))`,
    total: requestRate,
    words: { promise: '99 % of requests are answered within a second', bad: 'took longer than a second' },
  },
];

/**
 * Burn rates: a rate of 14.4 for one hour uses 2% of the 30-day budget, a rate of 6 for six hours uses 5%. The short
 * window resolves the alert soon after the cause is fixed (Google's SRE workbook, chapter 5).
 */
const BURN_RATES = [
  { suffix: 'BurnsFast', factor: 14.4, long: '1h', short: '5m', for: '2m', severity: 'critical' },
  { suffix: 'Burns', factor: 6, long: '6h', short: '30m', for: '15m', severity: 'warning' },
] as const;

const WINDOWS = [...new Set(BURN_RATES.flatMap(({ long, short }) => [short, long]))];

function nameOf(objective: Objective, window: string): string {
  return `fairway:api_requests_${objective.name}:ratio_rate${window}`;
}

/** Ratios of bad requests over the windows that alerts and the dashboard use. */
export const SLO_RECORDINGS: readonly Recording[] = OBJECTIVES.flatMap((objective) =>
  WINDOWS.map((window) => ({
    record: nameOf(objective, window),
    expr: `${objective.bad(window)} / ${objective.total(window)}`,
  })),
);

/** Alerts on the burn rate of an objective's error budget. */
export const SLO_ALERTS: readonly Alert[] = OBJECTIVES.flatMap((objective) =>
  BURN_RATES.map(({ suffix, factor, long, short, for: held, severity }) => {
    const limit = Number((factor * objective.budget).toPrecision(4));
    const over = [long, short].map((window) => `${nameOf(objective, window)} > ${limit}`);
    return {
      name: `${objective.alert}${suffix}`,
      expr: `${over.join(' and ')} and sum(increase(fairway_api_requests_total[1h])) > ${MIN_REQUESTS_PER_HOUR}`,
      for: held,
      severity,
      summary: `Fairway’s API misses its objective: ${objective.words.promise}.`,
      description: `{{ $value | humanizePercentage }} of the requests in the last ${long} ${objective.words.bad}: at this rate the ${DAYS}-day error budget is used up within ${daysUntilExhausted(factor)}.`,
    };
  }),
);

function daysUntilExhausted(factor: number): string {
  const days = DAYS / factor;
  return days < 3 ? `${Math.round(days * 24)} hours` : `${Math.round(days)} days`;
}
