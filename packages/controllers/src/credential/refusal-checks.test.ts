import { FakeClock } from '@fairway/base/clock-fake';
import { expect, test } from 'vitest';
import { RefusalChecks } from './refusal-checks.ts';

/** A project whose calls a test can have rejected. */
function project(credentialKey: string | undefined) {
  const listeners = new Set<() => void>();
  const onRefused = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const refuse = () => {
    for (const listener of listeners) listener();
  };
  const cloud = { client: { session: { onRefused } }, credentialKey } as unknown as Parameters<
    RefusalChecks['follow']
  >[0];
  return { cloud, refuse };
}

test('RefusalChecks has the credential checked on the first refusal, and then once per interval', async () => {
  const clock = new FakeClock();
  const checked: string[] = [];
  const checks = new RefusalChecks((key) => checked.push(key), clock, 30_000);
  const ownProject = project('team/mine');
  const other = project('team/other');
  checks.follow(ownProject.cloud);
  checks.follow(other.cloud);

  for (let second = 0; second < 60; second++) {
    ownProject.refuse();
    await clock.advance(1_000);
  }
  other.refuse();

  expect(checked).toEqual(['team/mine', 'team/mine', 'team/other']);
});

test('RefusalChecks ignores refusals in a project that is no longer watched, or for the operator', () => {
  const checked: string[] = [];
  const checks = new RefusalChecks((key) => checked.push(key), new FakeClock(), 30_000);
  const left = project('team/left');
  const own = project(undefined);
  checks.follow(left.cloud)();
  checks.follow(own.cloud);

  left.refuse();
  own.refuse();

  expect(checked).toEqual([]);
});
