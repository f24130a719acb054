import type { Alert } from './alert.ts';

/** A rule whose result is stored under a name of its own. */
export interface Recording {
  readonly record: string;
  readonly expr: string;
}

const DAYS = 30;
/** Of an hour with fewer requests no share is worth waking somebody. */
const MIN_REQUESTS_AN_HOUR = 100;

/** What a share of the API's requests keeps, over 30 days, as bad share of all. */
interface Objective {
  /** In names of rules: `errors`. */
  readonly name: string;
  /** In names of alerts: `ErrorBudget`. */
  readonly alert: string;
  /** 0.001 for 99.9 %. */
  readonly budget: number;
  readonly bad: (window: string) => string;
  readonly all: (window: string) => string;
  readonly words: { readonly promise: string; readonly bad: string };
}

const answers = (window: string) => `sum(rate(fairway_api_requests_total[${window}]))`;
const timed = (window: string) => `sum(rate(fairway_api_request_duration_seconds_count[${window}]))`;

const OBJECTIVES: readonly Objective[] = [
  {
    name: 'errors',
    alert: 'FairwayApiErrorBudget',
    budget: 0.001,
    bad: (window) => `(sum(rate(fairway_api_requests_total{code="5xx"}[${window}])) or vector(0))`,
    all: answers,
    words: { promise: '99.9 % of requests without a fault of Fairway’s', bad: 'are answered with 5xx' },
  },
  {
    name: 'slow',
    alert: 'FairwayApiLatencyBudget',
    budget: 0.01,
    bad: (window) =>
      `(${timed(window)} - sum(rate(fairway_api_request_duration_seconds_bucket{le=~"1|1.0"}[${window}])))`,
    all: timed,
    words: { promise: '99 % of requests within a second', bad: 'take longer than a second' },
  },
];

/**
 * How fast a budget may burn: at 14.4 an hour takes 2 % of 30 days', at 6 six hours take 5 %. The short window ends the alert soon after
 * its cause (Google's SRE workbook, chapter 5).
 */
const BURNS = [
  { suffix: 'BurnsFast', factor: 14.4, long: '1h', short: '5m', for: '2m', severity: 'critical' },
  { suffix: 'Burns', factor: 6, long: '6h', short: '30m', for: '15m', severity: 'warning' },
] as const;

const WINDOWS = [...new Set(BURNS.flatMap(({ long, short }) => [short, long]))];

function nameOf(objective: Objective, window: string): string {
  return `fairway:api_requests_${objective.name}:ratio_rate${window}`;
}

/** Shares of bad requests over the windows that the alerts, and the dashboard, look at. */
export const SLO_RECORDINGS: readonly Recording[] = OBJECTIVES.flatMap((objective) =>
  WINDOWS.map((window) => ({
    record: nameOf(objective, window),
    expr: `${objective.bad(window)} / ${objective.all(window)}`,
  })),
);

/** Alerts by how fast the budget of an objective is used up. */
export const SLO_ALERTS: readonly Alert[] = OBJECTIVES.flatMap((objective) =>
  BURNS.map(({ suffix, factor, long, short, for: held, severity }) => {
    const limit = Number((factor * objective.budget).toPrecision(4));
    const over = [long, short].map((window) => `${nameOf(objective, window)} > ${limit}`);
    return {
      name: `${objective.alert}${suffix}`,
      expr: `${over.join(' and ')} and sum(increase(fairway_api_requests_total[1h])) > ${MIN_REQUESTS_AN_HOUR}`,
      for: held,
      severity,
      summary: `Fairway’s API does not keep its promise: ${objective.words.promise}.`,
      description: `{{ $value | humanizePercentage }} of the requests of the last ${long} ${objective.words.bad}: at this rate the budget of ${DAYS} days is used up within ${daysUntilSpent(factor)}.`,
    };
  }),
);

function daysUntilSpent(factor: number): string {
  const days = DAYS / factor;
  return days < 3 ? `${Math.round(days * 24)} hours` : `${Math.round(days)} days`;
}
