import type { UsageRow } from '@fairway/api/domain/usage/report';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { renderUsage } from './forms.ts';

const FROM = Date.parse('2026-11-26T10:00:00Z');

function row(more: Partial<UsageRow> = {}): UsageRow {
  return {
    fromMs: FROM,
    toMs: FROM + 3_600_000,
    namespace: 'team',
    projectID: 'p1',
    cluster: 'demo',
    clusterUID: 'u1',
    resource: 'Node',
    type: 'b3-8',
    amount: 5_401,
    uncertain: 0,
    ...more,
  };
}

const NODE = row();
const VOLUME = row({ resource: 'Volume', type: 'fast, "ssd"', amount: 36_000, uncertain: 40 });
const SHOWN = { period: true, namespace: true, cluster: true };

describe('a usage report', () => {
  test('prints a table of hours for people', () => {
    expect(renderUsage([NODE, VOLUME], 'table', { period: false, namespace: false, cluster: true })).toBe(
      `CLUSTER   RESOURCE   TYPE          HOURS       UNCERTAIN
demo      Node       b3-8          1.50        
demo      Volume     fast, "ssd"   10.00 GiB   -0.01
`,
    );
  });

  test.each([
    { uncertain: 0, shown: '' },
    { uncertain: 5, shown: '<0.01' },
    { uncertain: 40, shown: '-0.01' },
    { uncertain: 3_600, shown: '-1.00' },
  ])('marks $uncertain s of possible excess as "$shown"', ({ uncertain, shown }) => {
    const [, line = ''] = renderUsage([row({ uncertain })], 'table', {
      period: false,
      namespace: false,
      cluster: false,
    }).split('\n');

    expect(line.split(/ {3,}/)[3] ?? '').toBe(shown);
  });

  test('prints exact values in CSV, quoted where necessary', () => {
    expect(renderUsage([NODE, VOLUME], 'csv', SHOWN).split('\r\n')).toEqual([
      'from,to,namespace,project,cluster,clusterUID,resource,type,unit,amount,uncertain',
      '2026-11-26T10:00:00Z,2026-11-26T11:00:00Z,team,p1,demo,u1,Node,b3-8,seconds,5401,0',
      '2026-11-26T10:00:00Z,2026-11-26T11:00:00Z,team,p1,demo,u1,Volume,"fast, ""ssd""",GiB-seconds,36000,40',
      '',
    ]);
  });

  test.each(['json', 'yaml'] as const)('prints exact values in %s', (form) => {
    const [first] = load(renderUsage([row({ cluster: undefined, clusterUID: undefined })], form, SHOWN)) as unknown[];

    expect(first).toEqual({
      from: '2026-11-26T10:00:00Z',
      to: '2026-11-26T11:00:00Z',
      namespace: 'team',
      project: 'p1',
      resource: 'Node',
      type: 'b3-8',
      unit: 'seconds',
      amount: 5_401,
      uncertain: 0,
    });
  });

  test('prints the body of a POST to CloudKitty, one dataframe per period', () => {
    const later = row({ fromMs: FROM + 3_600_000, toMs: FROM + 7_200_000, amount: 3_600 });

    expect(JSON.parse(renderUsage([NODE, VOLUME, later], 'cloudkitty', SHOWN))).toEqual({
      dataframes: [
        {
          period: { begin: '2026-11-26T10:00:00Z', end: '2026-11-26T11:00:00Z' },
          usage: {
            'fairway.node': [
              {
                vol: { unit: 'h', qty: '1.500278' },
                rating: { price: '0.000000' },
                groupby: { project_id: 'p1', namespace: 'team', resource_type: 'b3-8', cluster_id: 'u1' },
                metadata: { cluster_name: 'demo' },
              },
            ],
            'fairway.volume': [
              {
                vol: { unit: 'GiB-h', qty: '10.000000' },
                rating: { price: '0.000000' },
                groupby: { project_id: 'p1', namespace: 'team', resource_type: 'fast, "ssd"', cluster_id: 'u1' },
                metadata: { cluster_name: 'demo' },
              },
            ],
          },
        },
        expect.objectContaining({ period: { begin: '2026-11-26T11:00:00Z', end: '2026-11-26T12:00:00Z' } }),
      ],
    });
  });

  test('prints samples in Ceilometer’s format', () => {
    expect(JSON.parse(renderUsage([NODE], 'ceilometer', SHOWN))).toEqual([
      {
        counter_name: 'fairway.node',
        counter_type: 'delta',
        counter_unit: 's',
        counter_volume: 5_401,
        resource_id: 'u1/b3-8',
        project_id: 'p1',
        user_id: null,
        timestamp: '2026-11-26T11:00:00Z',
        resource_metadata: { type: 'b3-8', namespace: 'team', since: '2026-11-26T10:00:00Z', cluster: 'demo' },
      },
    ]);
  });
});

test('never gives CloudKitty two points with the same period, metric and groupby', () => {
  const rows = ['b3-8', 'b3-16'].flatMap((type) => [row({ type }), row({ type, clusterUID: 'u2' })]);

  const { dataframes } = JSON.parse(renderUsage(rows, 'cloudkitty', SHOWN)) as Dataframes;
  const points = dataframes.flatMap(({ period, usage }) =>
    Object.entries(usage).flatMap(([metric, all]) =>
      all.map(({ groupby }) => JSON.stringify([period, { ...groupby, type: metric }])),
    ),
  );

  expect(points).toHaveLength(4);
  expect(new Set(points).size).toBe(4);
});

interface Dataframes {
  readonly dataframes: readonly {
    readonly period: object;
    readonly usage: Readonly<Record<string, readonly { readonly groupby: object }[]>>;
  }[];
}
