import { FakeClock } from '@fairway/base/clock-fake';
import { expect, test } from 'vitest';
import type { ApiServerTarget } from '../probes.ts';
import { PolicyCheck } from './policy-check.ts';
import { policyHash } from './policy-file.ts';

const TARGET: ApiServerTarget = {
  endpoint: { host: '127.0.0.1', port: 6443 },
  certificateAuthority: '',
  certificate: '',
  privateKey: '',
};
const MANIFESTS = { mode: 'Manifests' };
const NOT_LOADED = {
  mode: 'Objects',
  problem: 'kube-apiserver has not loaded the policy file: its log says why',
};

class Scenario {
  readonly clock = new FakeClock();
  /** The file that the API server has loaded. */
  loaded: string | undefined;
  probes = 0;
  changes = 0;
  readonly check = new PolicyCheck({
    probe: () => {
      this.probes++;
      return Promise.resolve(this.loaded === undefined ? undefined : policyHash(this.loaded));
    },
    clock: this.clock,
    onChange: () => {
      this.changes++;
    },
  });
}

test('a file is in effect once the API server says so, and the server is not asked again', async () => {
  const scenario = new Scenario();
  scenario.check.step('a', TARGET);
  await scenario.clock.advance(2000);
  const before = scenario.check.state;
  scenario.loaded = 'a';
  await scenario.clock.advance(60_000);
  const { probes } = scenario;
  scenario.check.step('a', TARGET);
  await scenario.clock.advance(600_000);

  expect(before).toBeUndefined();
  expect(scenario.check.state).toEqual(MANIFESTS);
  expect(scenario.probes).toBe(probes);
  expect(scenario.changes).toBe(1);
});

test('a changed file is unknown until the API server has loaded it', async () => {
  const scenario = new Scenario();
  scenario.loaded = 'a';
  scenario.check.step('a', TARGET);
  await scenario.clock.advance(1);
  scenario.check.step('b', TARGET);
  const changed = scenario.check.state;
  await scenario.clock.advance(1);
  scenario.loaded = 'b';
  await scenario.clock.advance(2000);

  expect(changed).toBeUndefined();
  expect(scenario.check.state).toEqual(MANIFESTS);
});

test('a file that the API server does not load is reported, at a low rate of calls, until it is loaded', async () => {
  const scenario = new Scenario();
  scenario.loaded = 'a';
  scenario.check.step('b', TARGET);
  await scenario.clock.advance(60_000);
  const early = scenario.check.state;
  await scenario.clock.advance(120_000);
  const late = scenario.check.state;
  const { probes } = scenario;
  await scenario.clock.advance(3_600_000);

  expect(early).toBeUndefined();
  expect(late).toEqual(NOT_LOADED);
  expect(scenario.probes - probes).toBeLessThanOrEqual(60);
  expect(scenario.changes).toBe(1);
  scenario.loaded = 'b';
  await scenario.clock.advance(60_000);
  expect(scenario.check.state).toEqual(MANIFESTS);
  expect(scenario.changes).toBe(2);
});

test('continues with a server that was down when it was to be asked again', async () => {
  const scenario = new Scenario();
  scenario.check.step('a', TARGET);
  await scenario.clock.advance(1);
  scenario.check.step('a', undefined);
  await scenario.clock.advance(600_000);
  scenario.loaded = 'a';
  scenario.check.step('a', TARGET);
  await scenario.clock.advance(1);

  expect(scenario.check.state).toEqual(MANIFESTS);
});

test('asks no server that is starting, or that has no file', async () => {
  const scenario = new Scenario();
  scenario.check.step('a', undefined);
  await scenario.clock.advance(600_000);
  scenario.check.step(undefined, TARGET);
  await scenario.clock.advance(600_000);

  expect(scenario.probes).toBe(0);
  expect(scenario.check.state).toBeUndefined();
});

test('asks nothing more once it has stopped', async () => {
  const scenario = new Scenario();
  scenario.check.step('a', TARGET);
  await scenario.check.stop();
  await scenario.clock.advance(600_000);

  expect(scenario.probes).toBe(1);
  expect(scenario.changes).toBe(0);
});
