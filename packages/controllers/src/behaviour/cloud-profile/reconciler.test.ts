import type { CloudCatalogue } from '@fairway/api/admission/cloud-catalogue';
import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { type CloudProfile, cloudProfileName, cloudProfiles } from '@fairway/api/kinds/cloud-profile';
import { withoutBlindField } from '@fairway/api/testing/blind';
import { formatTime } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import type { Informer } from '@fairway/kube/client/informer';
import type { Namespace } from '@fairway/kube/kinds/generated/types';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { afterEach, describe, expect, test } from 'vitest';
import { CloudProfileReconciler } from '../../cloud-profile/reconciler.ts';
import type { ControllerDependencies } from '../../dependencies.ts';
import { TEAM, TestFairway } from '../../testing/test-fairway.ts';

describe('a simulated cloud', () => {
  let fairway: TestFairway;
  afterEach(() => fairway[Symbol.asyncDispose]());

  test('yields a team’s profile with the available choices, and recreates it once deleted', async () => {
    fairway = await TestFairway.start();
    const name = cloudProfileName(undefined);
    const isComplete = ([profile]: readonly CloudProfile[]) =>
      profile?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    await fairway.until(cloudProfiles, isComplete, name);
    const { status, metadata } = await fairway.client.resource(cloudProfiles).get(name, { namespace: TEAM });

    expect(status?.flavors).toContainEqual(expect.objectContaining({ name: 'b3-8', vcpus: 2 }));
    expect(status?.images?.length).toBeGreaterThan(0);
    expect(status?.zones?.length).toBeGreaterThan(0);
    expect(status?.externalNetworks?.length).toBeGreaterThan(0);
    expect(status?.quotas).toContainEqual({ name: 'instances', limit: expect.any(Number), used: 0 });

    await fairway.client.resource(cloudProfiles).delete(name, { namespace: TEAM });
    await fairway.until(
      cloudProfiles,
      ([found]) => found?.metadata.uid !== metadata.uid && isComplete(found ? [found] : []),
      name,
    );
  });
});

/** The reconciler with a cloud described by `catalogue`, and an API that stores writes. */
function start(options: { readonly stored?: readonly CloudProfile[]; readonly used?: boolean } = {}) {
  const clock = new FakeClock();
  const objects = new Map(options.stored?.map((profile) => [keyOf(profile), profile]));
  const state = {
    catalogue: FULL,
    cloud: 'paris' as string | undefined,
    /** Annotations of the CloudCredential `mine`. */
    annotations: {} as Record<string, string>,
    asked: 0,
    writes: 0,
  };
  const putProfile = (profile: CloudProfile) => {
    state.writes += 1;
    objects.set(keyOf(profile), profile);
    return Promise.resolve(profile);
  };
  const read = (key: string) => {
    const profile = objects.get(key);
    return profile && withoutBlindField(cloudProfiles.kind, profile);
  };
  const client = {
    create: (profile: CloudProfile) =>
      putProfile({ ...profile, metadata: { ...profile.metadata, uid: 'u', generation: 1 } }),
    patch: (name: string, { value }: { value: Partial<CloudProfile> }, { namespace }: { namespace: string }) => {
      const old = objects.get(`${namespace}/${name}`) as CloudProfile;
      return putProfile({ ...old, spec: { ...old.spec, ...value.spec }, status: { ...old.status, ...value.status } });
    },
    delete: (name: string, { namespace }: { namespace: string }) => {
      state.writes += 1;
      return Promise.resolve(void objects.delete(`${namespace}/${name}`));
    },
  };
  const shared = {
    clock,
    random: () => 0.5,
    cache: {
      clusters: { byIndex: () => (options.used ? [{}] : []) },
      credentials: {
        get: (key: string) => (key === 'team/mine' ? { metadata: { annotations: state.annotations } } : undefined),
      },
    },
    projects: { forNamespace: () => state.cloud && ({ name: state.cloud } as ProjectCloud) },
  };
  const reconciler = new CloudProfileReconciler(shared as unknown as ControllerDependencies, {
    profiles: { get: read, client } as unknown as Informer<CloudProfile>,
    namespaces: { get: () => ({ metadata: {} }) } as unknown as Informer<Namespace>,
    offer: {
      catalogueOf: () => {
        state.asked += 1;
        return Promise.resolve(state.catalogue);
      },
    },
  });
  const reconcile = (key: string) => reconciler.reconcile(key, { signal: new AbortController().signal });
  return { clock, objects, state, reconcile };
}

const FULL: CloudCatalogue = { flavors: [], images: [], zones: ['a'], networks: [], subnets: [] };

function keyOf({ metadata }: CloudProfile): string {
  return `${metadata.namespace}/${metadata.name}`;
}

test('each cloud that the namespace may use has a profile', async () => {
  const { objects, reconcile } = start();
  for (const name of ['default', 'credential-mine', 'credential-other', 'whatever']) await reconcile(`team/${name}`);

  expect([...objects.values()].map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
    ['default', { cloud: 'paris' }],
    ['credential-mine', { cloud: 'paris', credentialName: 'mine' }],
  ]);
});

test('a cloud with a paused CloudCredential is not queried until the credential is resumed, and its data is kept', async () => {
  const { clock, objects, state, reconcile } = start();
  state.annotations = { [PAUSED_ANNOTATION]: 'true' };
  await reconcile('team/credential-mine');
  expect([state.asked, objects.size]).toEqual([0, 0]);

  state.annotations = {};
  await reconcile('team/credential-mine');
  expect([state.asked, objects.size]).toEqual([1, 1]);

  state.annotations = { [PAUSED_ANNOTATION]: 'true' };
  await clock.advance(60 * 60_000);
  await reconcile('team/credential-mine');
  expect([state.asked, objects.size]).toEqual([1, 1]);
});

test('a profile is deleted with the namespace’s cloud', async () => {
  const { objects, state, reconcile } = start();
  await reconcile('team/default');
  state.cloud = undefined;
  await reconcile('team/default');

  expect(objects.size).toBe(0);
});

test('a profile is recreated when the namespace’s cloud has changed', async () => {
  const { objects, state, reconcile } = start();
  await reconcile('team/default');
  Object.assign(state, { cloud: 'berlin', catalogue: { flavors: [], images: [] } });
  await reconcile('team/default');

  const { spec, status } = objects.get('team/default') as CloudProfile;
  expect(spec.cloud).toBe('berlin');
  expect(status).toMatchObject({ flavors: [] });
  expect((status as { zones?: unknown }).zones ?? undefined).toBeUndefined();
});

test.each([
  { used: true, minutes: 20 },
  { used: false, minutes: 60 },
])(
  'a profile (used: $used) is refreshed every $minutes minutes regardless of changes, and written only when it changes',
  async ({ used, minutes }) => {
    const { clock, state, reconcile } = start({ used });
    await reconcile('team/default');
    const writes = state.writes;
    for (let event = 0; event < 10; event++) {
      expect((await reconcile('team/default')).requeueAfterMs).toBeLessThanOrEqual(minutes * 60_000);
    }
    expect(state.asked).toBe(1);

    await clock.advance(minutes * 60_000);
    await reconcile('team/default');
    expect(state).toMatchObject({ asked: 2, writes });
  },
);

test('quotas include the time of the cloud’s last response, and are rewritten unchanged every two hours', async () => {
  const { clock, objects, state, reconcile } = start({ used: true });
  const responses = [8, 9, undefined, 9, 9, 9, 9, 9];
  const times: (string | undefined)[] = [];
  const startMs = clock.now();
  for (const used of responses) {
    state.catalogue = used === undefined ? {} : { ...FULL, quotas: { cores: { limit: 20, used } } };
    await reconcile('team/default');
    times.push(objects.get('team/default')?.status?.quotasTime);
    await clock.advance(20 * 60_000);
  }

  const withDate = [0, 20, 20, 20, 20, 20, 20, 140];
  expect(times).toEqual(withDate.map((minutes) => formatTime(startMs + minutes * 60_000)));
});

test('an unavailable cloud is reported, and its data is kept', async () => {
  const { clock, objects, state, reconcile } = start({ used: true });
  await reconcile('team/default');
  state.catalogue = {};
  await clock.advance(20 * 60_000);
  await reconcile('team/default');

  expect(objects.get('team/default')?.status).toMatchObject({
    zones: ['a'],
    conditions: [{ type: 'Ready', status: 'False', reason: 'CloudUnavailable' }],
  });
});

test('a thousand stored profiles cause no calls when Fairway starts', async () => {
  const stored = Array.from(
    { length: 1000 },
    (_, index): CloudProfile => ({
      metadata: { name: 'default', namespace: `n${index}`, uid: 'u' },
      spec: { cloud: 'paris' },
      status: {
        conditions: [{ type: 'Ready', status: 'True', reason: 'AsExpected', message: '', lastTransitionTime: '' }],
      },
    }),
  );
  const { state, reconcile } = start({ stored });
  for (const profile of stored) await reconcile(keyOf(profile));

  expect(state).toMatchObject({ asked: 0, writes: 0 });
});
