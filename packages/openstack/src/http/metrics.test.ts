import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { MAX_PROJECT_SERIES, OpenStackMetrics } from './metrics.ts';

test('counts calls by project, and calls of projects beyond the limit together', async () => {
  const registry = new Registry();
  const metrics = new OpenStackMetrics(registry);
  const labels = { cloud: 'c', service: 'compute', method: 'GET', resource: '/servers' } as const;
  for (let project = 0; project < MAX_PROJECT_SERIES + 20; project++) {
    metrics.recordAttempt(labels, '2xx', 5, `p${project}`);
  }
  metrics.recordAttempt(labels, '4xx', 5, 'p0');

  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('fairway_openstack_project_'));
  expect(lines).toHaveLength(MAX_PROJECT_SERIES + 2);
  expect(lines).toContain(
    'fairway_openstack_project_requests_total{cloud="c",project="other",service="compute",code="2xx"} 20',
  );
  expect(lines).toContain(
    'fairway_openstack_project_requests_total{cloud="c",project="p0",service="compute",code="4xx"} 1',
  );
});
