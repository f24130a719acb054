import type { FlowControl } from './flow-control.ts';
import { WAIT_BUCKETS, type WaitHistogram, type WaitHistograms } from './flow-counts.ts';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [Labels, number];

/**
 * The metrics for priority and fairness under kube-apiserver's names, in Prometheus' text format. Computed at scrape
 * time.
 */
export function flowMetrics(flowControl: FlowControl): string {
  const schemas = flowControl.schemas.map(({ name, level, counts }) => ({
    labels: { flow_schema: name, priority_level: level.name },
    counts,
  }));
  const levels = [...flowControl.levels].map((level) => ({ labels: { priority_level: level.name }, level }));
  const schemaSamples = (value: (counts: (typeof schemas)[number]['counts']) => number) =>
    schemas.map(({ labels, counts }): Sample => [labels, value(counts)]);
  const levelSamples = (value: (level: (typeof levels)[number]['level']) => number) =>
    levels.map(({ labels, level }): Sample => [labels, value(level)]);
  return [
    family(
      'dispatched_requests_total',
      'counter',
      'Requests that received seats',
      schemaSamples((one) => one.dispatched),
    ),
    family(
      'rejected_requests_total',
      'counter',
      'Requests that were rejected',
      schemas.flatMap(({ labels, counts }) =>
        [...(counts.rejected ?? [])].map(([reason, count]): Sample => [{ ...labels, reason }, count]),
      ),
    ),
    family(
      'current_executing_requests',
      'gauge',
      'Requests that run',
      schemaSamples((one) => one.executing),
    ),
    family(
      'current_executing_seats',
      'gauge',
      'Seats of requests that run',
      schemaSamples((one) => one.executingSeats),
    ),
    family(
      'current_inqueue_requests',
      'gauge',
      'Requests that wait',
      schemaSamples((one) => one.waiting),
    ),
    family(
      'current_inqueue_seats',
      'gauge',
      'Seats of requests that wait',
      schemaSamples((one) => one.waitingSeats),
    ),
    family(
      'nominal_limit_seats',
      'gauge',
      'The share of a level',
      levelSamples(({ bounds }) => bounds.nominal),
    ),
    family(
      'lower_limit_seats',
      'gauge',
      'What a level keeps',
      levelSamples(({ bounds }) => bounds.min),
    ),
    family(
      'upper_limit_seats',
      'gauge',
      'Maximum seats of a level, including borrowed seats',
      levelSamples(({ bounds }) => bounds.max),
    ),
    family(
      'current_limit_seats',
      'gauge',
      'What a level has by now',
      levelSamples(({ limit }) => limit),
    ),
    family(
      'demand_seats_high_watermark',
      'gauge',
      'The most seats that a level could have used in the last period',
      levelSamples(({ demand }) => demand.highest),
    ),
    family(
      'demand_seats_smoothed',
      'gauge',
      'Smoothed number of seats that a level could have used',
      levelSamples((one) => one.demand.smoothed),
    ),
    waitTimes(schemas),
  ].join('');
}

function family(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string {
  return `${head(name, type, help)}${samples.map(([labels, value]) => line(name, labels, value)).join('')}`;
}

function waitTimes(
  schemas: readonly { readonly labels: Labels; readonly counts: { readonly waits?: WaitHistograms | undefined } }[],
): string {
  const name = 'request_wait_duration_seconds';
  const lines = schemas.flatMap(({ labels, counts: { waits } }) =>
    waits === undefined
      ? []
      : [
          ...histogram(name, { ...labels, execute: 'true' }, waits.executed),
          ...histogram(name, { ...labels, execute: 'false' }, waits.rejected),
        ],
  );
  return `${head(name, 'histogram', 'Waiting time of the requests that had to wait')}${lines.join('')}`;
}

function histogram(name: string, labels: Labels, { sum, buckets }: WaitHistogram): string[] {
  let count = 0;
  const lines = [...WAIT_BUCKETS, '+Inf'].map((le, index) => {
    count += buckets[index] ?? 0;
    return line(`${name}_bucket`, { ...labels, le: String(le) }, count);
  });
  return [...lines, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, count)];
}

function head(name: string, type: string, help: string): string {
  return `# HELP apiserver_flowcontrol_${name} ${help}\n# TYPE apiserver_flowcontrol_${name} ${type}\n`;
}

/** Object names need no escaping. */
function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${text}"`);
  return `apiserver_flowcontrol_${name}{${pairs.join(',')}} ${value}\n`;
}
