import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

async function start() {
  const clock = new SteppingClock();
  const fairway = await TestFairway.start({ clock, random: seededRandom(7) });
  const events = async (reason: string, kind: string) =>
    (await fairway.client.resource(Events).list({ namespace: TEAM })).items
      .filter((event) => event.reason === reason && event.involvedObject?.kind === kind)
      .map(({ message = '', count }) => `${count}: ${/within [^,]+/.exec(message)?.[0] ?? message}`);
  const credential = async () => (await fairway.client.resource(cloudCredentials).list({ namespace: TEAM })).items[0];
  const cluster = async () => (await fairway.client.resource(clusters).list({ namespace: TEAM })).items[0];
  return { clock, fairway, events, credential, cluster };
}

describe('a credential that expires', () => {
  test('is reported once per notice, on time and across restarts, on the credential and its clusters', async () => {
    const { clock, fairway, events, credential, cluster } = await start();
    await using _ = fairway;
    await fairway.createCredential({ endsInMs: 7 * DAY_MS + 65_000 });
    await fairway.createCluster({ credentialName: 'mine' });
    await clock.pass(64_000);
    await clock.during(fairway.stopProcess());
    await clock.during(fairway.startProcess());
    // Between two checks of the credential.
    await clock.pass(2_000);
    const soon = findCondition((await credential())?.status?.conditions, 'ExpiresSoon');
    const ready = findCondition((await credential())?.status?.conditions, 'Ready');
    await clock.during(fairway.stopProcess());
    await clock.during(fairway.startProcess());
    await clock.pass(HOUR_MS);
    const written = (await credential())?.metadata.resourceVersion;
    await clock.pass(HOUR_MS);

    expect(soon).toMatchObject({ status: 'True', reason: 'CredentialExpiresSoon' });
    expect(soon?.message).toMatch(/^it expires within 7 days, at /);
    expect(ready?.status).toBe('True');
    expect(findCondition((await cluster())?.status?.conditions, 'CredentialExpiresSoon')?.message).toBe(
      `CloudCredential mine: ${soon?.message}`,
    );
    expect(findCondition((await cluster())?.status?.conditions, 'Ready')?.status).toBe('True');
    const once = ['1: within 30 days', '1: within 7 days'];
    expect((await events('CredentialExpiresSoon', 'CloudCredential')).sort()).toEqual(once);
    expect((await events('CredentialExpiresSoon', 'Cluster')).sort()).toEqual(once);
    expect((await credential())?.metadata.resourceVersion).toBe(written);
  });

  test('is no longer reported when its expiry changes', async () => {
    const { clock, fairway, credential, cluster } = await start();
    await using _ = fairway;
    await fairway.createCredential({ endsInMs: DAY_MS });
    await fairway.createCluster({ credentialName: 'mine' });
    await clock.pass(10_000);
    await fairway.createCredential({}, 'lasting');

    await fairway.patch(clusters, 'demo', { spec: { credentialName: 'lasting' } });
    await clock.pass(10_000);

    expect(findCondition((await credential())?.status?.conditions, 'ExpiresSoon')).toBeUndefined();
    expect(findCondition((await cluster())?.status?.conditions, 'CredentialExpiresSoon')).toBeUndefined();
  });

  test.each([
    { how: 'is revoked', end: 'revoke', message: /^it was revoked: Keystone no longer has application credential/ },
    {
      how: 'belongs to a user who is disabled',
      end: 'disable',
      message: /^Keystone now rejects it: its user is disabled/,
    },
  ])('is detected by the first refused call if it $how', async ({ end, message }) => {
    const { clock, fairway, events, credential, cluster } = await start();
    await using _ = fairway;
    const id = await fairway.createCredential();
    await clock.during(fairway.readyCluster({ replicas: 1 }, { credentialName: 'mine' }));
    // The credential was checked shortly before.
    await clock.pass(70_000);
    if (end === 'revoke') await fairway.process.project.client.identity.deleteApplicationCredential(id);
    else fairway.cloud.faults.add({ service: 'identity', method: 'POST', times: null, action: responseFault(401) });
    // Nova rejects users whose token is no longer valid.
    fairway.cloud.faults.add({ service: 'compute', times: null, action: responseFault(401) });

    await fairway.createPool({ replicas: 1 }, 'other');
    await clock.pass(5_000);

    const ready = findCondition((await credential())?.status?.conditions, 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'CredentialInvalid' });
    expect(ready?.message).toMatch(message);
    expect(findCondition((await cluster())?.status?.conditions, 'NetworkReady')).toMatchObject({
      status: 'False',
      reason: 'CredentialInvalid',
      message: `CloudCredential mine cannot be used: ${ready?.message}`,
    });
    expect(await events('CredentialInvalid', 'CloudCredential')).toEqual([`1: ${ready?.message}`]);
  });

  test('causes few checks and no Events on the credential if a role is refused for an hour', async () => {
    const { clock, fairway, events, credential } = await start();
    await using _ = fairway;
    await fairway.createCredential();
    await clock.during(fairway.readyCluster({ replicas: 1 }, { credentialName: 'mine' }));
    fairway.cloud.faults.add({ service: 'compute', times: null, action: responseFault(403) });
    await fairway.createPool({ replicas: 20 }, 'other');
    await clock.pass(60_000);
    fairway.cloud.calls.reset();

    await clock.pass(HOUR_MS);

    const logins = fairway.cloud.calls
      .counts()
      .filter(({ service, method }) => service === 'identity' && method === 'POST')
      .reduce((sum, { count }) => sum + count, 0);
    expect(logins).toBeLessThanOrEqual(125);
    expect(findCondition((await credential())?.status?.conditions, 'Ready')?.status).toBe('True');
    expect(await events('CredentialInvalid', 'CloudCredential')).toEqual([]);
  });
});

function responseFault(status: number) {
  return { kind: 'answer', status } as const;
}
