import { APPLY_SET_ID, PART_OF_LABEL } from '@fairway/addons/apply-set';
import { plans } from '@fairway/api/kinds/plan';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@fairway/kube/kinds/generated/types';
import { ValidatingAdmissionPolicies, ValidatingAdmissionPolicyBindings } from '@fairway/kube/kinds/resources';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FIELD_MANAGER } from '../addons/apply-object.ts';
import { AddonScenario } from '../testing/addon-scenario.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NAME = 'limits.fairway.dev';
const BY_TENANT = { fieldManager: 'kubectl-edit' };

let scenario: AddonScenario;
beforeEach(async () => {
  scenario = await AddonScenario.begin();
});
afterEach(() => scenario[Symbol.asyncDispose]());

async function offer(spec: object): Promise<void> {
  await scenario.fairway.patch(plans, 'free', { spec });
  await scenario.clock.pass(2 * MINUTE_MS);
}

function policies() {
  return scenario.tenant.resource<ValidatingAdmissionPolicy>(ValidatingAdmissionPolicies);
}

function bindings() {
  return scenario.tenant.resource<ValidatingAdmissionPolicyBinding>(ValidatingAdmissionPolicyBindings);
}

/** Names of the policies that are bound, with what happens to requests. */
async function bound(): Promise<readonly string[]> {
  const names = (await policies().list()).items.map(({ metadata }) => metadata.name);
  return (await bindings().list()).items
    .filter(({ spec }) => names.includes(spec.policyName))
    .map(({ spec }) => `${spec.policyName} ${spec.validationActions.join()}`);
}

describe('the policy of a plan’s limits', () => {
  test('exists as long as the plan has limits, and costs nothing while idle', async () => {
    const before = await bound();
    await offer({ services: { types: ['ClusterIP'] } });
    const during = await bound();
    await scenario.work();
    await scenario.clock.pass(5 * MINUTE_MS);
    scenario.forgetRequests();
    await scenario.clock.pass(3 * HOUR_MS);
    const writes = scenario.writes();
    const addonStatus = await scenario.addon('plan-limits');
    await offer({ services: null });

    expect(before).toEqual([]);
    expect(during).toEqual([`${NAME} Deny`]);
    expect(writes).toEqual([]);
    expect(addonStatus).toMatchObject({ state: 'Ready' });
    expect(await bound()).toEqual([]);
  });

  test('is recreated after kubectl delete validatingadmissionpolicy --all', async () => {
    await offer({ services: { types: ['ClusterIP'] } });
    await policies().delete(NAME);
    await bindings().delete(NAME);
    await scenario.clock.pass(2 * MINUTE_MS);

    expect(await bound()).toEqual([`${NAME} Deny`]);
  });

  test('is recreated each time that the tenant deletes it, but not more than twice a minute', async () => {
    await offer({ services: { types: ['ClusterIP'] } });
    scenario.forgetRequests();
    for (let second = 0; second < 120; second++) {
      await policies().deleteCollection();
      await scenario.clock.pass(1_000);
    }
    const writes = scenario.writes();
    await scenario.clock.pass(MINUTE_MS);

    expect(await bound()).toEqual([`${NAME} Deny`]);
    expect(writes.length).toBeGreaterThan(1);
    expect(writes.length).toBeLessThan(20);
  });

  test.each<{ reason: string; spec: object }>([
    { reason: 'a condition', spec: { matchConditions: [{ name: 'never', expression: 'false' }] } },
    { reason: 'an exempt namespace', spec: { matchConstraints: { namespaceSelector: { matchLabels: { a: 'b' } } } } },
    { reason: 'other rules', spec: { validations: [{ expression: 'true' }] } },
  ])('is restored when the tenant adds $reason', async ({ spec }) => {
    await offer({ services: { types: ['ClusterIP'] } });
    const { spec: intended } = await policies().get(NAME);
    await policies().patch(NAME, { type: 'merge', value: { spec } }, BY_TENANT);
    await scenario.clock.pass(2 * MINUTE_MS);

    expect((await policies().get(NAME)).spec).toEqual(intended);
  });

  test('is restored when the tenant narrows its binding', async () => {
    await offer({ services: { types: ['ClusterIP'] } });
    const { spec: intended } = await bindings().get(NAME);
    const value = { spec: { matchResources: { objectSelector: { matchLabels: { a: 'b' } } } } };
    await bindings().patch(NAME, { type: 'merge', value }, BY_TENANT);
    await scenario.clock.pass(2 * MINUTE_MS);

    expect((await bindings().get(NAME)).spec).toEqual(intended);
  });

  test('begins and ends with the dates of the plan’s note', async () => {
    const dayIn = (days: number) => new Date(scenario.clock.now() + days * DAY_MS).toISOString().slice(0, 10);
    const note = { limit: 'services.types', since: dayIn(1), until: dayIn(2) };
    await offer({ services: { types: ['ClusterIP'] }, limitNotes: [note] });
    const announced = await bound();
    await scenario.clock.pass(DAY_MS);
    const enforced = await bound();
    await scenario.clock.pass(DAY_MS);

    expect(announced).toEqual(['limit-warnings.fairway.dev Warn']);
    expect(enforced).toEqual([`${NAME} Deny`]);
    expect(await bound()).toEqual([]);
  });

  test('replaces the policy of earlier releases', async () => {
    const metadata = { name: 'storage.fairway.dev', labels: { [PART_OF_LABEL]: APPLY_SET_ID } };
    const options = { fieldManager: FIELD_MANAGER };
    const [rule] = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['persistentvolumes'] }];
    await policies().create(
      { metadata, spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] } },
      options,
    );
    await bindings().create(
      { metadata, spec: { policyName: 'storage.fairway.dev', validationActions: ['Deny'] } },
      options,
    );
    await offer({ storage: { accessModes: ['ReadWriteOnce'] } });

    expect(await bound()).toEqual([`${NAME} Deny`]);
  });
});
