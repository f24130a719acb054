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
import { AddonStory } from '../testing/addon-story.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DRIVER = 'cinder.csi.openstack.org';
const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class';

const HIGH_SPEED = { name: 'csi-cinder-high-speed', volumeType: 'high-speed', default: true };
const CLASSIC = { name: 'csi-cinder-classic', volumeType: 'classic' };

/** The operator's input. */
type Written = Omit<Partial<PlanStorage>, 'classes'> & {
  readonly classes?: readonly (Partial<PlanStorageClass> & Pick<PlanStorageClass, 'name'>)[];
};

async function offer(story: AddonStory, storage: Written | null): Promise<void> {
  await story.fairway.patch(plans, 'free', { spec: { storage } });
  await story.clock.pass(2 * MINUTE_MS);
}

async function classesOf({ tenant }: AddonStory): Promise<readonly StorageClass[]> {
  return (await tenant.resource(StorageClasses).list()).items;
}

async function names(story: AddonStory): Promise<(string | undefined)[]> {
  return (await classesOf(story)).map(({ metadata }) => metadata.name);
}

/** Created by a user with kubectl. */
function own(story: AddonStory, name: string, fields: Partial<StorageClass> = {}): Promise<StorageClass> {
  const object = { metadata: { name }, provisioner: DRIVER, ...fields };
  return story.tenant.resource(StorageClasses).create(object, { fieldManager: 'kubectl-create' });
}

const SHIPPED = [
  'csi-cinder-classic',
  'csi-cinder-classic-luks',
  'csi-cinder-high-speed',
  'csi-cinder-high-speed-gen2',
  'csi-cinder-high-speed-gen2-luks',
  'csi-cinder-high-speed-luks',
  'default',
];

async function defaultsOf(story: AddonStory): Promise<(string | undefined)[]> {
  const defaults = (await classesOf(story)).filter(({ metadata }) => metadata.annotations?.[IS_DEFAULT] === 'true');
  return defaults.map(({ metadata }) => metadata.name);
}

describe('the StorageClasses of a cluster', () => {
  test.each(['free', 'standard'])('are OVHcloud’s with the plan %s as shipped', async (plan) => {
    await using story = await AddonStory.begin({ plan });
    await story.work();

    expect(await names(story)).toEqual(SHIPPED);
    expect(await defaultsOf(story)).toEqual(['csi-cinder-high-speed']);
    expect(await story.addon('cinder-csi')).toMatchObject({ state: 'Ready' });
    for (const { metadata, parameters } of await classesOf(story)) {
      expect(parameters?.['type'] ?? 'default').toBe(metadata.name?.replace('csi-cinder-', ''));
    }
  });

  test('that are optional are left out where the cloud lacks their types, and told, and the default is another one', async () => {
    const cloud = { volumeTypes: DEFAULT_CONFIG.volumeTypes.filter(({ name }) => name === 'classic') };
    await using story = await AddonStory.begin({}, { cloud });
    await story.work();

    expect(await names(story)).toEqual(['csi-cinder-classic', 'default']);
    expect(await defaultsOf(story)).toEqual(['default']);
    expect(await story.addon('cinder-csi')).toMatchObject({
      state: 'Ready',
      message: expect.stringMatching(/^StorageClasses omitted .*: csi-cinder-high-speed \(volume type high-speed\), /),
    });
    await story.clock.pass(HOUR_MS);
    story.forgetRequests();
    await story.clock.pass(3 * HOUR_MS);
    expect(story.writes()).toEqual([]);
  });

  test('remain unchanged while the cloud’s types are unknown', async () => {
    await using story = await AddonStory.begin({}, { isCinderAway: true });
    await story.work();
    const away = { names: await names(story), defaults: await defaultsOf(story) };
    story.fairway.cloud.faults.clear();
    await story.clock.pass(2 * HOUR_MS);

    expect(away).toEqual({ names: ['default'], defaults: [] });
    expect(await names(story)).toEqual(SHIPPED);
    expect(await defaultsOf(story)).toEqual(['csi-cinder-high-speed']);
  });

  test('have one default when the plan names another one, unless the tenant has chosen it', async () => {
    await using story = await AddonStory.begin();
    await offer(story, { classes: [HIGH_SPEED, CLASSIC] });
    const before = await defaultsOf(story);
    await offer(story, {
      classes: [
        { ...HIGH_SPEED, default: false },
        { ...CLASSIC, default: true },
      ],
    });

    expect(before).toEqual(['csi-cinder-high-speed']);
    expect(await defaultsOf(story)).toEqual(['csi-cinder-classic']);

    const value = { metadata: { annotations: { [IS_DEFAULT]: 'true' } } };
    await story.tenant
      .resource(StorageClasses)
      .patch('csi-cinder-high-speed', { type: 'merge', value }, { fieldManager: 'kubectl-edit' });
    await story.clock.pass(2 * HOUR_MS);
    expect(await defaultsOf(story)).toEqual(['csi-cinder-classic', 'csi-cinder-high-speed']);
  });

  test('are one, for claims that name none, if the plan has no rules', async () => {
    await using story = await AddonStory.begin();
    await offer(story, null);

    const [only, ...others] = await classesOf(story);

    expect(others).toEqual([]);
    expect(only).toMatchObject({
      metadata: { name: 'default', annotations: { [IS_DEFAULT]: 'true' } },
      volumeBindingMode: 'WaitForFirstConsumer',
      parameters: { 'csi.storage.k8s.io/fstype': 'ext4' },
    });
  });

  test.each<{ field: string; written: Partial<PlanStorageClass>; shows: object }>([
    { field: 'name', written: { name: 'gold' }, shows: { metadata: { name: 'gold' } } },
    { field: 'volumeType', written: { volumeType: 'classic' }, shows: { parameters: { type: 'classic' } } },
    { field: 'default', written: { default: true }, shows: { metadata: { annotations: { [IS_DEFAULT]: 'true' } } } },
    { field: 'reclaimPolicy', written: { reclaimPolicy: 'Retain' }, shows: { reclaimPolicy: 'Retain' } },
    {
      field: 'volumeBindingMode',
      written: { volumeBindingMode: 'Immediate' },
      shows: { volumeBindingMode: 'Immediate' },
    },
    { field: 'allowVolumeExpansion', written: { allowVolumeExpansion: false }, shows: { allowVolumeExpansion: false } },
    { field: 'fsType', written: { fsType: 'xfs' }, shows: { parameters: { 'csi.storage.k8s.io/fstype': 'xfs' } } },
  ])('have $field of the plan', async ({ written, shows }) => {
    await using story = await AddonStory.begin();

    await offer(story, { classes: [{ name: 'some', ...written }] });

    expect(await classesOf(story)).toMatchObject([shows]);
  });

  test('follow the plan: new ones are added, others removed, and changes to immutable fields recreate them', async () => {
    await using story = await AddonStory.begin();
    await own(story, 'mine');
    await offer(story, { classes: [HIGH_SPEED, CLASSIC] });
    const [classic] = await classesOf(story);

    const before = await names(story);
    await offer(story, { classes: [{ ...CLASSIC, reclaimPolicy: 'Retain' }] });
    const after = await names(story);
    const [recreated] = await classesOf(story);
    await offer(story, { classes: [] });

    expect(before).toEqual(['csi-cinder-classic', 'csi-cinder-high-speed', 'mine']);
    expect(after).toEqual(['csi-cinder-classic', 'mine']);
    expect(recreated?.reclaimPolicy).toBe('Retain');
    expect(recreated?.metadata.uid).not.toBe(classic?.metadata.uid);
    expect(await names(story)).toEqual(['mine']);
  });

  test('follow the plan that the cluster moves to', async () => {
    await using story = await AddonStory.begin();
    await story.fairway.patch(plans, 'standard', { spec: { storage: { classes: [HIGH_SPEED] } } });

    await story.patch({ spec: { plan: 'standard' } });
    await story.clock.pass(2 * MINUTE_MS);

    expect(await names(story)).toEqual(['csi-cinder-high-speed']);
  });

  test('are recreated after their deletion, and cost nothing while idle', async () => {
    await using story = await AddonStory.begin();
    await offer(story, null);
    await story.tenant.resource(StorageClasses).delete('default');
    await story.clock.pass(2 * MINUTE_MS);
    const back = await names(story);
    await story.work();
    await story.clock.pass(5 * MINUTE_MS);
    story.forgetRequests();

    await story.clock.pass(3 * HOUR_MS);

    expect(back).toEqual(['default']);
    expect(story.writes()).toEqual([]);
  });

  test('keep the tenant’s changes, which are reported', async () => {
    await using story = await AddonStory.begin();
    await offer(story, null);
    const value = { metadata: { annotations: { [IS_DEFAULT]: 'false' } }, allowVolumeExpansion: false };
    await story.tenant
      .resource(StorageClasses)
      .patch('default', { type: 'merge', value }, { fieldManager: 'kubectl-edit' });
    await story.work();
    await story.clock.pass(2 * HOUR_MS);

    expect(await classesOf(story)).toMatchObject([value]);
    expect(await story.addon('cinder-csi')).toMatchObject({
      state: 'Modified',
      message: expect.stringContaining('allowVolumeExpansion'),
    });
  });

  test('leave an earlier one with the same name, and the rest of the add-on is installed', async () => {
    const first = { metadata: { name: 'default' }, provisioner: 'nfs.example.org', parameters: { server: 'mine' } };
    await using story = await AddonStory.begin(
      {},
      { before: (tenant) => tenant.resource(StorageClasses).create(first, { fieldManager: 'kubectl-create' }) },
    );
    await offer(story, null);
    await story.work();

    const kept = await classesOf(story);
    const told = await story.addon('cinder-csi');
    await story.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await story.clock.pass(2 * MINUTE_MS);

    expect(kept).toMatchObject([{ provisioner: 'nfs.example.org', parameters: { server: 'mine' } }]);
    expect(told).toMatchObject({
      state: 'Modified',
      message: expect.stringContaining('everything of StorageClass default (by kubectl-create)'),
    });
    expect(await classesOf(story)).toMatchObject([{ metadata: { name: 'default' }, provisioner: DRIVER }]);
  });

  test('of a type that the cloud does not have are reported to the operator, and so is its return', async () => {
    await using story = await AddonStory.begin();
    await offer(story, { classes: [HIGH_SPEED, { name: 'csi-cinder-gold', volumeType: 'gold' }] });
    await story.work();

    const told = await story.addon('cinder-csi');
    const condition = story.conditionOf(await story.cluster());
    const { items: events } = await story.fairway.client.resource(Events).list();
    await offer(story, { classes: [HIGH_SPEED] });
    await story.work();

    expect(told).toMatchObject({
      state: 'Degraded',
      reason: 'AddonMisconfigured',
      message: expect.stringMatching(
        /^the cloud has no volume type gold \(used by StorageClass csi-cinder-gold\); available: .*high-speed.* spec.storage.classes of plan "free"/,
      ),
    });
    expect(condition).toMatchObject({ status: 'False', reason: 'AddonMisconfigured' });
    expect(events.filter(({ message = '' }) => message.includes('no volume type gold'))).toHaveLength(1);
    expect(await story.addon('cinder-csi')).toMatchObject({ state: 'Ready' });
  });
});

test('a cluster with its own driver keeps that, and gets nothing', async () => {
  const driver = { metadata: { name: DRIVER }, spec: { attachRequired: true } };
  await using story = await AddonStory.begin({}, { before: (tenant) => tenant.resource(CSIDrivers).create(driver) });
  await story.work();

  expect(await story.addon('cinder-csi')).toMatchObject({ state: 'NotManaged' });
  expect(await names(story)).toEqual([]);
  expect((await story.tenant.resource(DaemonSets).list()).items.map(({ metadata }) => metadata.name)).toEqual([
    'kube-proxy',
  ]);
});

test('the policy of a cluster is there as long as the plan has limits', async () => {
  await using story = await AddonStory.begin();
  const messages = async () =>
    (await story.tenant.resource(ValidatingAdmissionPolicies).list()).items.flatMap(({ spec }) =>
      (spec.validations ?? []).map(({ message }) => message),
    );

  const before = await messages();
  await offer(story, { accessModes: ['ReadWriteOnce'], tenantClasses: 'Refused' });
  const limited = await messages();
  await offer(story, null);

  expect(before).toEqual([]);
  expect(limited).toContain(
    "spec.accessModes: ReadWriteMany is not allowed for volumes of cinder.csi.openstack.org by the cluster's plan: use ReadWriteOnce, or a StorageClass for shares",
  );
  expect(limited.at(-1)).toMatch(/classes of the tenant's own .*: use csi-cinder-high-speed, default, /);
  expect(await messages()).toEqual([]);
});
