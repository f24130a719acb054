import type { Cluster } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { addCertificateSeries } from './certificate-series.ts';

function ending(caNotAfter: string, certificatesNotAfter?: string, more: Partial<Cluster['status']> = {}): Cluster {
  const credentials = { caNotAfter, ...(certificatesNotAfter !== undefined && { certificatesNotAfter }) };
  return { ...aCluster(), status: { ...more, credentials } };
}

async function told(clusters: readonly Cluster[], isReporting = true): Promise<Record<string, string>> {
  const registry = new Registry();
  addCertificateSeries(registry, { list: () => clusters }, () => isReporting);
  const [metric] = await registry.getMetricsAsJSON();
  const values = metric?.values ?? [];
  return Object.fromEntries(
    values.map(({ labels, value }) => [labels['kind'], new Date(value * 1000).toISOString().slice(0, 10)]),
  );
}

const FIRST = ending('2036-01-01T00:00:00Z', '2027-05-01T00:00:00Z');
const SECOND = ending('2031-01-01T00:00:00Z', '2027-09-01T00:00:00Z');

test('the first of all clusters is told of each kind', async () => {
  expect(await told([FIRST, SECOND])).toEqual({ authority: '2031-01-01', 'control-plane': '2027-05-01' });
});

test('certificates of a cluster that hibernates are renewed when it wakes, its authorities are not', async () => {
  const asleep = ending('2029-01-01T00:00:00Z', '2026-01-01T00:00:00Z', { phase: 'Hibernated' });

  expect(await told([asleep, SECOND])).toEqual({ authority: '2029-01-01', 'control-plane': '2027-09-01' });
});

test('a time that is none hides those of no other cluster', async () => {
  const broken = ending('soon', '');

  expect(await told([broken, FIRST])).toEqual({ authority: '2036-01-01', 'control-plane': '2027-05-01' });
});

test('nothing is told where nothing is known, nor by a replica that does not report', async () => {
  expect(await told([aCluster()])).toEqual({});
  expect(await told([ending('2031-01-01T00:00:00Z')])).toEqual({ authority: '2031-01-01' });
  expect(await told([FIRST], false)).toEqual({});
});
