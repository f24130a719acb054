import { plans } from '@fairway/api/kinds/plan';
import type { ControlPlaneState } from '@fairway/control-plane/runtime';
import { findCondition } from '@fairway/kube/controller/conditions';
import { ValidatingAdmissionPolicies, ValidatingAdmissionPolicyBindings } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { AddonScenario } from '../testing/addon-scenario.ts';

const MINUTE_MS = 60_000;
const ONE_MODE = { accessModes: ['ReadWriteOnce'] };
const OBJECTS = ['ValidatingAdmissionPolicy limits.fairway.dev', 'ValidatingAdmissionPolicyBinding limits.fairway.dev'];
const TOO_OLD = 'Kubernetes 1.35.2 does not read policies from files: upgrade the cluster to 1.36';

/** Changes the cluster's plan. */
async function offer(scenario: AddonScenario, spec: object): Promise<void> {
  await scenario.fairway.patch(plans, 'free', { spec });
  await scenario.clock.pass(2 * MINUTE_MS);
}

/** What the API server reports about its policy file from now on. */
async function report(scenario: AddonScenario, limitPolicies: ControlPlaneState['limitPolicies']): Promise<void> {
  scenario.fairway.runtime.reportState({ limitPolicies });
  await scenario.clock.pass(2 * MINUTE_MS);
}

/** The policies that the API server was last given for its file. */
function inFile({ fairway }: AddonScenario): readonly string[] | undefined {
  return fairway.runtime.requestedSpecs.at(-1)?.limitPolicies?.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

/** The access modes that the policies in the file refuse. */
function refusedModes({ fairway }: AddonScenario): readonly string[] {
  const text = JSON.stringify(fairway.runtime.requestedSpecs.at(-1)?.limitPolicies);
  return [...new Set([...text.matchAll(/spec\.accessModes: (\w+) is not allowed/g)].map(([, mode = '']) => mode))];
}

/** The policies that are objects of the cluster. */
async function inCluster({ tenant }: AddonScenario): Promise<readonly string[]> {
  const { items: policies } = await tenant.resource(ValidatingAdmissionPolicies).list();
  const { items: bindings } = await tenant.resource(ValidatingAdmissionPolicyBindings).list();
  return [
    ...policies.map(({ metadata }) => `ValidatingAdmissionPolicy ${metadata.name}`),
    ...bindings.map(({ metadata }) => `ValidatingAdmissionPolicyBinding ${metadata.name}`),
  ];
}

async function conditionOf(scenario: AddonScenario) {
  return findCondition((await scenario.cluster()).status?.conditions, 'FieldsApplied');
}

describe('the limit policies of a plan with limitPolicies: Manifests', () => {
  test('are objects until the API server enforces the file, and then only in the file', async () => {
    await using scenario = await AddonScenario.begin();
    await offer(scenario, { storage: ONE_MODE, limitPolicies: 'Manifests' });
    const starting = [inFile(scenario), await inCluster(scenario)];
    await report(scenario, { mode: 'Manifests' });

    expect(starting).toEqual([OBJECTS, OBJECTS]);
    expect([inFile(scenario), await inCluster(scenario)]).toEqual([OBJECTS, []]);
    expect((await scenario.cluster()).status?.limitPolicies).toEqual({ mode: 'Manifests' });
    expect(await conditionOf(scenario)).toBeUndefined();
  });

  test('change in the file while the API server has the previous ones', async () => {
    await using scenario = await AddonScenario.begin();
    await offer(scenario, { storage: ONE_MODE, limitPolicies: 'Manifests' });
    await report(scenario, { mode: 'Manifests' });
    scenario.forgetRequests();
    await report(scenario, undefined);
    const before = refusedModes(scenario);
    await offer(scenario, { storage: { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] } });

    expect(before).toEqual(['ReadWriteOncePod', 'ReadOnlyMany', 'ReadWriteMany']);
    expect(refusedModes(scenario)).toEqual(['ReadWriteOncePod', 'ReadWriteMany']);
    expect(scenario.writes().filter((write) => write.includes('limits.fairway.dev'))).toEqual([]);
  });

  test('stay objects if the API server can not read the file, and the cluster says why', async () => {
    await using scenario = await AddonScenario.begin();
    await offer(scenario, { storage: ONE_MODE, limitPolicies: 'Manifests' });
    await report(scenario, { mode: 'Objects', problem: TOO_OLD });

    expect(await inCluster(scenario)).toEqual(OBJECTS);
    expect(await conditionOf(scenario)).toMatchObject({
      status: 'False',
      reason: 'NotImplemented',
      message: `accepted, but ignored by this release: the plan's limitPolicies (Manifests): ${TOO_OLD}; a cluster-admin can delete the policies until Fairway restores them`,
    });
  });

  test('return as objects if the API server rejects a later file', async () => {
    await using scenario = await AddonScenario.begin();
    await offer(scenario, { storage: ONE_MODE, limitPolicies: 'Manifests' });
    await report(scenario, { mode: 'Manifests' });
    await report(scenario, { mode: 'Objects', problem: 'kube-apiserver does not start with the policy file' });

    expect(await inCluster(scenario)).toEqual(OBJECTS);
  });
});

test('a file stays until the cluster has the objects that replace it', async () => {
  await using scenario = await AddonScenario.begin();
  await offer(scenario, { storage: ONE_MODE, limitPolicies: 'Manifests' });
  await report(scenario, { mode: 'Manifests' });
  scenario.fault = ({ method, path }) =>
    method !== 'GET' && path.includes('limits.fairway.dev') ? { kind: 'breaksBefore' } : undefined;
  await offer(scenario, { limitPolicies: 'Objects' });
  const waiting = [inFile(scenario), await inCluster(scenario)];
  scenario.fault = undefined;
  await scenario.clock.pass(20 * MINUTE_MS);

  expect(waiting).toEqual([OBJECTS, []]);
  expect([inFile(scenario), await inCluster(scenario)]).toEqual([undefined, OBJECTS]);
  expect((await scenario.cluster()).status?.limitPolicies).toBeUndefined();
});

test('a plan without limits needs no objects to replace its file', async () => {
  await using scenario = await AddonScenario.begin();
  await offer(scenario, { limitPolicies: 'Manifests' });
  await report(scenario, { mode: 'Manifests' });
  const used = inFile(scenario);
  await offer(scenario, { limitPolicies: null });

  expect(used).toEqual([]);
  expect(inFile(scenario)).toBeUndefined();
});
