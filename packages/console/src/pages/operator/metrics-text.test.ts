import { OpenStackMetrics } from '@fairway/openstack/http/metrics';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { samplesOf } from './metrics-text.ts';

test('parses the metrics that Fairway writes', async () => {
  const registry = new Registry();
  const metrics = new OpenStackMetrics(registry);
  metrics.recordAttempt({ cloud: 'a"b\\c', service: 'compute', method: 'GET', resource: '/servers' }, '2xx', 20);
  metrics.budget('a"b\\c', { waiting: 3, requestsPerMinute: 3_000 });

  const samples = samplesOf(await registry.metrics(), 'fairway_openstack_');

  expect(samples).toContainEqual({ name: 'fairway_openstack_budget_waiting', labels: { cloud: 'a"b\\c' }, value: 3 });
  expect(samples).toContainEqual({
    name: 'fairway_openstack_requests_total',
    labels: { cloud: 'a"b\\c', service: 'compute', method: 'GET', resource: '/servers', code: '2xx' },
    value: 1,
  });
});

test.each([
  { line: 'a_total 3', samples: [{ name: 'a_total', labels: {}, value: 3 }] },
  { line: 'a_bucket{le="+Inf"} +Inf', samples: [{ name: 'a_bucket', labels: { le: '+Inf' }, value: Infinity }] },
  {
    line: 'a{x="1}, y=\\"2\\"",z="n\\nl"} 1e3 1700000000',
    samples: [{ name: 'a', labels: { x: '1}, y="2"', z: 'n\nl' }, value: 1000 }],
  },
  { line: '# HELP a_total Anything.', samples: [] },
  { line: 'b_total 3', samples: [] },
  { line: 'a_total many', samples: [] },
])('$line', ({ line, samples }) => {
  expect(samplesOf(`\n${line}\n`, 'a')).toEqual(samples);
});
