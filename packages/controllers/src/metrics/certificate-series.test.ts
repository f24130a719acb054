import type { Cluster } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { addCertificateSeries } from './certificate-series.ts';

function ending(caNotAfter: string, certificatesNotAfter?: string, more: Partial<Cluster['status']> = {}): Cluster {
  const credentials = { caNotAfter, ...(certificatesNotAfter !== undefined && { certificatesNotAfter }) };
  return { ...aCluster(), status: { ...more, credentials } };
}

async function certificateSeries(clusters: readonly Cluster[], isReporting = true): Promise<Record<string, string>> {
  const registry = new Registry();
  addCertificateSeries(registry, { list: () => clusters }, () => isReporting);
  const [metric] = await registry.getMetricsAsJSON();
  const values = metric?.values ?? [];
  return Object.fromEntries(
    values.map(({ labels, value }) => [labels['kind'], new Date(value * 1000).toISOString().slice(0, 10)]),
  );
}

const FIRST_CA = ending('2036-01-01T00:00:00Z', '2027-05-01T00:00:00Z');
const SECOND_CA = ending('2031-01-01T00:00:00Z', '2027-09-01T00:00:00Z');

test('reports the earliest expiry across all clusters for each kind of certificate', async () => {
  expect(await certificateSeries([FIRST_CA, SECOND_CA])).toEqual({
    authority: '2031-01-01',
    'control-plane': '2027-05-01',
  });
});

test('ignores certificates of a hibernated cluster, which are renewed on waking, but not its CAs', async () => {
  const asleep = ending('2029-01-01T00:00:00Z', '2026-01-01T00:00:00Z', { phase: 'Hibernated' });

  expect(await certificateSeries([asleep, SECOND_CA])).toEqual({
    authority: '2029-01-01',
    'control-plane': '2027-09-01',
  });
});

test('ignores an invalid time, but not the times of other clusters', async () => {
  const broken = ending('soon', '');

  expect(await certificateSeries([broken, FIRST_CA])).toEqual({
    authority: '2036-01-01',
    'control-plane': '2027-05-01',
  });
});

test('reports nothing if no times are known, or if this replica does not report', async () => {
  expect(await certificateSeries([aCluster()])).toEqual({});
  expect(await certificateSeries([ending('2031-01-01T00:00:00Z')])).toEqual({ authority: '2031-01-01' });
  expect(await certificateSeries([FIRST_CA], false)).toEqual({});
});
