import { plans } from '@fairway/api/kinds/plan';
import type { PlanStorage, PlanStorageClass } from '@fairway/api/kinds/plan-storage';
import type { StorageClass } from '@fairway/kube/kinds/generated/types';
import {
  CSIDrivers,
  DaemonSets,
  Events,
  StorageClasses,
  ValidatingAdmissionPolicies,
} from '@fairway/kube/kinds/resources';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import { describe, expect, test } from 'vitest';
import { AddonScenario } from '../testing/addon-scenario.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DRIVER = 'cinder.csi.openstack.org';
const DEFAULT_CLASS_ANNOTATION = 'storageclass.kubernetes.io/is-default-class';

const HIGH_SPEED = { name: 'csi-cinder-high-speed', volumeType: 'high-speed', default: true };
const CLASSIC = { name: 'csi-cinder-classic', volumeType: 'classic' };

/** The operator's input. */
type StorageInput = Omit<Partial<PlanStorage>, 'classes'> & {
  readonly classes?: readonly (Partial<PlanStorageClass> & Pick<PlanStorageClass, 'name'>)[];
};

async function offer(scenario: AddonScenario, storage: StorageInput | null): Promise<void> {
  await scenario.fairway.patch(plans, 'free', { spec: { storage } });
  await scenario.clock.pass(2 * MINUTE_MS);
}

async function classesOf({ tenant }: AddonScenario): Promise<readonly StorageClass[]> {
  return (await tenant.resource(StorageClasses).list()).items;
}

async function names(scenario: AddonScenario): Promise<(string | undefined)[]> {
  return (await classesOf(scenario)).map(({ metadata }) => metadata.name);
}

/** Created by a user with kubectl. */
function own(scenario: AddonScenario, name: string, fields: Partial<StorageClass> = {}): Promise<StorageClass> {
  const object = { metadata: { name }, provisioner: DRIVER, ...fields };
  return scenario.tenant.resource(StorageClasses).create(object, { fieldManager: 'kubectl-create' });
}

const SHIPPED_CLASSES = [
  'csi-cinder-classic',
  'csi-cinder-classic-luks',
  'csi-cinder-high-speed',
  'csi-cinder-high-speed-gen2',
  'csi-cinder-high-speed-gen2-luks',
  'csi-cinder-high-speed-luks',
  'default',
];

async function defaultsOf(scenario: AddonScenario): Promise<(string | undefined)[]> {
  const defaults = (await classesOf(scenario)).filter(
    ({ metadata }) => metadata.annotations?.[DEFAULT_CLASS_ANNOTATION] === 'true',
  );
  return defaults.map(({ metadata }) => metadata.name);
}

describe('the StorageClasses of a cluster', () => {
  test.each(['free', 'standard'])('are OVHcloud’s with the shipped plan %s', async (plan) => {
    await using scenario = await AddonScenario.begin({ plan });
    await scenario.work();

    expect(await names(scenario)).toEqual(SHIPPED_CLASSES);
    expect(await defaultsOf(scenario)).toEqual(['csi-cinder-high-speed']);
    expect(await scenario.addon('cinder-csi')).toMatchObject({ state: 'Ready' });
    for (const { metadata, parameters } of await classesOf(scenario)) {
      expect(parameters?.['type'] ?? 'default').toBe(metadata.name?.replace('csi-cinder-', ''));
    }
  });

  test('omit optional classes whose types the cloud lacks, report this, and use another default', async () => {
    const cloud = { volumeTypes: DEFAULT_CONFIG.volumeTypes.filter(({ name }) => name === 'classic') };
    await using scenario = await AddonScenario.begin({}, { cloud });
    await scenario.work();

    expect(await names(scenario)).toEqual(['csi-cinder-classic', 'default']);
    expect(await defaultsOf(scenario)).toEqual(['default']);
    expect(await scenario.addon('cinder-csi')).toMatchObject({
      state: 'Ready',
      message: expect.stringMatching(/^StorageClasses omitted .*: csi-cinder-high-speed \(volume type high-speed\), /),
    });
    await scenario.clock.pass(HOUR_MS);
    scenario.forgetRequests();
    await scenario.clock.pass(3 * HOUR_MS);
    expect(scenario.writes()).toEqual([]);
  });

  test('remain unchanged while the cloud’s types are unknown', async () => {
    await using scenario = await AddonScenario.begin({}, { isCinderUnavailable: true });
    await scenario.work();
    const withoutTypes = { names: await names(scenario), defaults: await defaultsOf(scenario) };
    scenario.fairway.cloud.faults.clear();
    await scenario.clock.pass(2 * HOUR_MS);

    expect(withoutTypes).toEqual({ names: ['default'], defaults: [] });
    expect(await names(scenario)).toEqual(SHIPPED_CLASSES);
    expect(await defaultsOf(scenario)).toEqual(['csi-cinder-high-speed']);
  });

  test('change their default with the plan’s, unless the tenant has selected one', async () => {
    await using scenario = await AddonScenario.begin();
    await offer(scenario, { classes: [HIGH_SPEED, CLASSIC] });
    const before = await defaultsOf(scenario);
    await offer(scenario, {
      classes: [
        { ...HIGH_SPEED, default: false },
        { ...CLASSIC, default: true },
      ],
    });

    expect(before).toEqual(['csi-cinder-high-speed']);
    expect(await defaultsOf(scenario)).toEqual(['csi-cinder-classic']);

    const value = { metadata: { annotations: { [DEFAULT_CLASS_ANNOTATION]: 'true' } } };
    await scenario.tenant
      .resource(StorageClasses)
      .patch('csi-cinder-high-speed', { type: 'merge', value }, { fieldManager: 'kubectl-edit' });
    await scenario.clock.pass(2 * HOUR_MS);
    expect(await defaultsOf(scenario)).toEqual(['csi-cinder-classic', 'csi-cinder-high-speed']);
  });

  test('are used for claims without a class even if the plan has no rules', async () => {
    await using scenario = await AddonScenario.begin();
    await offer(scenario, null);

    const [only, ...others] = await classesOf(scenario);

    expect(others).toEqual([]);
    expect(only).toMatchObject({
      metadata: { name: 'default', annotations: { [DEFAULT_CLASS_ANNOTATION]: 'true' } },
      volumeBindingMode: 'WaitForFirstConsumer',
      parameters: { 'csi.storage.k8s.io/fstype': 'ext4' },
    });
  });

  test.each<{ field: string; written: Partial<PlanStorageClass>; expectedFields: object }>([
    { field: 'name', written: { name: 'gold' }, expectedFields: { metadata: { name: 'gold' } } },
    { field: 'volumeType', written: { volumeType: 'classic' }, expectedFields: { parameters: { type: 'classic' } } },
    {
      field: 'default',
      written: { default: true },
      expectedFields: { metadata: { annotations: { [DEFAULT_CLASS_ANNOTATION]: 'true' } } },
    },
    { field: 'reclaimPolicy', written: { reclaimPolicy: 'Retain' }, expectedFields: { reclaimPolicy: 'Retain' } },
    {
      field: 'volumeBindingMode',
      written: { volumeBindingMode: 'Immediate' },
      expectedFields: { volumeBindingMode: 'Immediate' },
    },
    {
      field: 'allowVolumeExpansion',
      written: { allowVolumeExpansion: false },
      expectedFields: { allowVolumeExpansion: false },
    },
    {
      field: 'fsType',
      written: { fsType: 'xfs' },
      expectedFields: { parameters: { 'csi.storage.k8s.io/fstype': 'xfs' } },
    },
  ])('have the plan’s $field', async ({ written, expectedFields }) => {
    await using scenario = await AddonScenario.begin();

    await offer(scenario, { classes: [{ name: 'some', ...written }] });

    expect(await classesOf(scenario)).toMatchObject([expectedFields]);
  });

  test('follow the plan: classes are added, removed, and recreated if immutable fields change', async () => {
    await using scenario = await AddonScenario.begin();
    await own(scenario, 'mine');
    await offer(scenario, { classes: [HIGH_SPEED, CLASSIC] });
    const [classic] = await classesOf(scenario);

    const before = await names(scenario);
    await offer(scenario, { classes: [{ ...CLASSIC, reclaimPolicy: 'Retain' }] });
    const after = await names(scenario);
    const [recreated] = await classesOf(scenario);
    await offer(scenario, { classes: [] });

    expect(before).toEqual(['csi-cinder-classic', 'csi-cinder-high-speed', 'mine']);
    expect(after).toEqual(['csi-cinder-classic', 'mine']);
    expect(recreated?.reclaimPolicy).toBe('Retain');
    expect(recreated?.metadata.uid).not.toBe(classic?.metadata.uid);
    expect(await names(scenario)).toEqual(['mine']);
  });

  test('follow the new plan when the cluster moves to another one', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.fairway.patch(plans, 'standard', { spec: { storage: { classes: [HIGH_SPEED] } } });

    await scenario.patch({ spec: { plan: 'standard' } });
    await scenario.clock.pass(2 * MINUTE_MS);

    expect(await names(scenario)).toEqual(['csi-cinder-high-speed']);
  });

  test('are recreated after their deletion, and cost nothing while idle', async () => {
    await using scenario = await AddonScenario.begin();
    await offer(scenario, null);
    await scenario.tenant.resource(StorageClasses).delete('default');
    await scenario.clock.pass(2 * MINUTE_MS);
    const back = await names(scenario);
    await scenario.work();
    await scenario.clock.pass(5 * MINUTE_MS);
    scenario.forgetRequests();

    await scenario.clock.pass(3 * HOUR_MS);

    expect(back).toEqual(['default']);
    expect(scenario.writes()).toEqual([]);
  });

  test('keep the tenant’s changes, which are reported', async () => {
    await using scenario = await AddonScenario.begin();
    await offer(scenario, null);
    const value = { metadata: { annotations: { [DEFAULT_CLASS_ANNOTATION]: 'false' } }, allowVolumeExpansion: false };
    await scenario.tenant
      .resource(StorageClasses)
      .patch('default', { type: 'merge', value }, { fieldManager: 'kubectl-edit' });
    await scenario.work();
    await scenario.clock.pass(2 * HOUR_MS);

    expect(await classesOf(scenario)).toMatchObject([value]);
    expect(await scenario.addon('cinder-csi')).toMatchObject({
      state: 'Modified',
      message: expect.stringContaining('allowVolumeExpansion'),
    });
  });

  test('do not change an existing class with the same name, and the rest of the add-on is installed', async () => {
    const first = { metadata: { name: 'default' }, provisioner: 'nfs.example.org', parameters: { server: 'mine' } };
    await using scenario = await AddonScenario.begin(
      {},
      { before: (tenant) => tenant.resource(StorageClasses).create(first, { fieldManager: 'kubectl-create' }) },
    );
    await offer(scenario, null);
    await scenario.work();

    const kept = await classesOf(scenario);
    const addonStatus = await scenario.addon('cinder-csi');
    await scenario.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await scenario.clock.pass(2 * MINUTE_MS);

    expect(kept).toMatchObject([{ provisioner: 'nfs.example.org', parameters: { server: 'mine' } }]);
    expect(addonStatus).toMatchObject({
      state: 'Modified',
      message: expect.stringContaining('everything of StorageClass default (by kubectl-create)'),
    });
    expect(await classesOf(scenario)).toMatchObject([{ metadata: { name: 'default' }, provisioner: DRIVER }]);
  });

  test('report a type that the cloud lacks to the operator, until the plan no longer uses it', async () => {
    await using scenario = await AddonScenario.begin();
    await offer(scenario, { classes: [HIGH_SPEED, { name: 'csi-cinder-gold', volumeType: 'gold' }] });
    await scenario.work();

    const addonStatus = await scenario.addon('cinder-csi');
    const condition = scenario.conditionOf(await scenario.cluster());
    const { items: events } = await scenario.fairway.client.resource(Events).list();
    await offer(scenario, { classes: [HIGH_SPEED] });
    await scenario.work();

    expect(addonStatus).toMatchObject({
      state: 'Degraded',
      reason: 'AddonMisconfigured',
      message: expect.stringMatching(
        /^the cloud has no volume type gold \(used by StorageClass csi-cinder-gold\); available: .*high-speed.* spec.storage.classes of plan "free"/,
      ),
    });
    expect(condition).toMatchObject({ status: 'False', reason: 'AddonMisconfigured' });
    expect(events.filter(({ message = '' }) => message.includes('no volume type gold'))).toHaveLength(1);
    expect(await scenario.addon('cinder-csi')).toMatchObject({ state: 'Ready' });
  });
});

test('are not created in a cluster with its own driver', async () => {
  const driver = { metadata: { name: DRIVER }, spec: { attachRequired: true } };
  await using scenario = await AddonScenario.begin(
    {},
    { before: (tenant) => tenant.resource(CSIDrivers).create(driver) },
  );
  await scenario.work();

  expect(await scenario.addon('cinder-csi')).toMatchObject({ state: 'NotManaged' });
  expect(await names(scenario)).toEqual([]);
  expect((await scenario.tenant.resource(DaemonSets).list()).items.map(({ metadata }) => metadata.name)).toEqual([
    'kube-proxy',
  ]);
});

test('the policy of a cluster exists as long as the plan has limits', async () => {
  await using scenario = await AddonScenario.begin();
  const messages = async () =>
    (await scenario.tenant.resource(ValidatingAdmissionPolicies).list()).items.flatMap(({ spec }) =>
      (spec.validations ?? []).map(({ message }) => message),
    );

  const before = await messages();
  await offer(scenario, { accessModes: ['ReadWriteOnce'], tenantClasses: 'Refused' });
  const policyMessages = await messages();
  await offer(scenario, null);

  expect(before).toEqual([]);
  expect(policyMessages).toContain(
    "spec.accessModes: ReadWriteMany is not allowed for volumes of cinder.csi.openstack.org by the cluster's plan: use ReadWriteOnce, or a StorageClass for shares",
  );
  expect(policyMessages.at(-1)).toMatch(/classes of the tenant's own .*: use csi-cinder-high-speed, default, /);
  expect(await messages()).toEqual([]);
});
