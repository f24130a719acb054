import { aPlan } from '@fairway/api/testing/objects';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { FULL_CLOUD, withoutService } from '../../testing/full-cloud.ts';
import type { CloudObservation } from '../cloud-observation.ts';
import { planReport, renderPlanReport } from './plan-report.ts';

const NOW_MS = Date.UTC(2026, 10, 22);
const WITHOUT_SHARES: CloudObservation = { ...FULL_CLOUD, ...withoutService('shared-file-system') };
const PROVIDERS = { services: { loadBalancerProviders: ['amphora', 'ovn'] } };
const COMPLETE = { metadata: { name: 'free' }, spec: { ...aPlan().spec, ...PROVIDERS } };

test('a complete cloud keeps what its plans promise', () => {
  const report = planReport(FULL_CLOUD, { value: { plans: [COMPLETE], releases: [] } }, NOW_MS);

  expect(renderPlanReport(report)).toBe('No Plan promises what this cloud lacks.\n');
});

test('proposed fields are YAML after a comment that names the plans', () => {
  const report = planReport(WITHOUT_SHARES, { value: { plans: [COMPLETE], releases: [] } }, NOW_MS);
  const text = renderPlanReport(report);
  const yaml = text.slice(text.indexOf('# Proposed limits for Plan free'));

  expect(load(yaml)).toEqual({ spec: report.proposals[0]?.spec });
  expect(yaml).toContain('\n      value: ReadWriteMany\n      reason: the cloud has no shared file systems\n');
});

test('limits are also proposed if no plans can be read', () => {
  const report = planReport(WITHOUT_SHARES, { problem: 'no kubeconfig at /nowhere' }, NOW_MS);
  const text = renderPlanReport(report);

  expect(text).toMatch(/^Plans were not compared with this cloud: no kubeconfig at \/nowhere\n/);
  expect(text).toContain('# Proposed limits for new Plans');
  expect(report.findings).toEqual([]);
});

test('findings come with advice', () => {
  const spec = { ...aPlan({ allowed: { regions: ['east'] } }).spec, ...PROVIDERS };
  const plan = { metadata: { name: 'east' }, spec };
  const report = planReport(FULL_CLOUD, { value: { plans: [plan], releases: [] } }, NOW_MS);

  expect(renderPlanReport(report)).toBe(
    'warning plan east  spec.allowed.regions: east: matches no region; the cloud has R\n' +
      '                   correct the entry, or remove it from the list\n',
  );
});

describe('what could not be observed', () => {
  test('is listed', () => {
    const cloud = { ...FULL_CLOUD, loadBalancerProviders: { problem: 'unavailable (500)' } };
    const text = renderPlanReport(planReport(cloud, { value: { plans: [COMPLETE], releases: [] } }, NOW_MS));

    expect(text).toContain('could not be observed:\n  load balancer providers: unavailable (500)\n');
  });

  test('does not include services that are known to be missing', () => {
    const problem = { problem: 'the catalog has no block-storage service' };
    const choices = { ...FULL_CLOUD.choices, volumeTypes: problem, maxVolumeSnapshots: problem };
    const cloud = { ...FULL_CLOUD, ...withoutService('block-storage'), choices };

    expect(planReport(cloud, { problem: '' }, NOW_MS).unknown).toEqual([]);
  });
});
