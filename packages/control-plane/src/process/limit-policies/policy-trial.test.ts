import { describe, expect, test } from 'vitest';
import { perComponent } from '../components.ts';
import type { ComponentState, SupervisedState } from '../supervisor.ts';
import { aBinding, aPolicy } from '../testing/policies.ts';
import { policyFile } from './policy-file.ts';
import { PolicyTrial } from './policy-trial.ts';

const POLICIES = [aPolicy(), aBinding()];
const OTHER_POLICIES = [aPolicy({ failurePolicy: 'Fail' }), aBinding()];
const COMPLAINT = 'failed to load static policy manifests from "/proc/self/cwd/limit-policies": syntax error';
const VERSION = '1.36.3';

/** The state after `failures` consecutive exits. */
function state(failures: number, lastFailure?: string): SupervisedState {
  const good: ComponentState = { running: true, ready: true, current: true, failures: 0, lastFailure: undefined };
  const components = perComponent(() => good);
  if (failures > 0) components['kube-apiserver'] = { ...good, running: false, ready: false, failures, lastFailure };
  return { components, databaseBytes: 1, isDatabaseFull: false };
}

function textOf(policies: typeof POLICIES): string | undefined {
  const file = policyFile(policies);
  return 'text' in file ? file.text : undefined;
}

describe('the policy file of an API server', () => {
  test.each([
    { policies: undefined, version: VERSION, problem: undefined, reason: 'the plan has no policies in files' },
    {
      policies: POLICIES,
      version: '1.35.2',
      problem: 'Kubernetes 1.35.2 does not read policies from files: upgrade the cluster to 1.36',
      reason: 'the version is too old',
    },
    {
      policies: [aBinding()],
      version: VERSION,
      problem: 'binding storage.fairway.dev.static.k8s.io: policy storage.fairway.dev.static.k8s.io is missing',
      reason: 'kube-apiserver would not start',
    },
  ])('is not used if $reason', ({ policies, version, problem }) => {
    const chosen = new PolicyTrial().choose(policies, version, undefined, state(0));

    expect(chosen).toEqual({ text: undefined, problem, rejected: undefined, isFileToBlame: false });
  });

  test('is used while the API server has not failed because of it', () => {
    const trial = new PolicyTrial();
    const seen = [state(0), state(1, COMPLAINT), state(2, COMPLAINT), state(3, 'address already in use'), state(0)];

    expect(seen.map((each) => trial.choose(POLICIES, VERSION, undefined, each).text)).toEqual(
      seen.map(() => textOf(POLICIES)),
    );
  });

  test('is removed if the API server keeps failing because of it, until policies or version change', () => {
    const trial = new PolicyTrial();
    trial.choose(POLICIES, VERSION, undefined, state(0));
    const failed = trial.choose(POLICIES, VERSION, undefined, state(3, COMPLAINT));

    expect(failed).toMatchObject({
      text: undefined,
      problem: `kube-apiserver does not start with the policy file: ${COMPLAINT}`,
      isFileToBlame: true,
    });
    const { rejected, problem } = failed;
    // Also after a restart of Fairway.
    for (const each of [trial, new PolicyTrial()]) {
      expect(each.choose(POLICIES, VERSION, rejected, state(0))).toEqual({
        text: undefined,
        problem,
        rejected,
        isFileToBlame: false,
      });
    }
    expect(trial.choose(OTHER_POLICIES, VERSION, rejected, state(0)).text).toBe(textOf(OTHER_POLICIES));
    expect(trial.choose(POLICIES, '1.36.4', rejected, state(0)).text).toBe(textOf(POLICIES));
  });

  test('is not blamed for failures of its predecessor', () => {
    const trial = new PolicyTrial();
    trial.choose(POLICIES, VERSION, undefined, state(2, COMPLAINT));
    const [first, waiting] = [3, 3].map((failures) =>
      trial.choose(OTHER_POLICIES, VERSION, undefined, state(failures, COMPLAINT)),
    );
    const next = trial.choose(OTHER_POLICIES, VERSION, undefined, state(4, COMPLAINT));

    expect([first?.text, waiting?.text, next.text]).toEqual([
      textOf(OTHER_POLICIES),
      textOf(OTHER_POLICIES),
      undefined,
    ]);
  });
});
