import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_LATENCY } from '../../http/latency.ts';
import { listed, startTestCloud, type TestCloud, type TestResponse } from '../../test-cloud.ts';

const NEWEST = { 'X-OpenStack-Manila-API-Version': '2.73' };
const SHARE_LATENCY = {
  ...NO_LATENCY.lifecycle,
  createShare: 10_000,
  deleteShare: 5000,
  resizeShare: 3000,
  changeShareAccess: 1000,
  createShareSnapshot: 2000,
};

let test: TestCloud;
beforeEach(async () => {
  test = await startTestCloud({ latency: { ...NO_LATENCY, lifecycle: SHARE_LATENCY } });
});
afterEach(() => test.cloud.close());

const call = (method: string, path: string, body?: object): Promise<TestResponse> =>
  test.demo.call(method, `/share/v2${path}`, body, NEWEST);
const statusOf = async (path: string): Promise<unknown> => Object.values((await call('GET', path)).body)[0]?.['status'];

async function makeShare(): Promise<string> {
  const { body } = await call('POST', '/shares', { share: { share_proto: 'NFS', size: 1 } });
  return `/shares/${(body['share']?.['id'] ?? '') as string}`;
}

describe('a share', () => {
  it('is created, extended and deleted over time', async () => {
    const path = await makeShare();
    await test.clock.advance(9999);
    expect(await statusOf(path)).toBe('creating');
    await test.clock.advance(1);
    expect(await statusOf(path)).toBe('available');

    await call('POST', `${path}/action`, { extend: { new_size: 5 } });
    expect(await statusOf(path)).toBe('extending');
    await test.clock.advance(3000);
    expect((await call('GET', path)).body['share']).toMatchObject({ status: 'available', size: 5 });

    await call('DELETE', path);
    expect(await statusOf(path)).toBe('deleting');
    await test.clock.advance(5000);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('queues, applies and removes its access rules one step at a time', async () => {
    const path = await makeShare();
    await test.clock.advance(10_000);
    const rule = { access_type: 'ip', access_to: '10.0.0.1' };
    const created = await call('POST', `${path}/action`, { allow_access: rule });
    const id = created.body['access']?.['id'];
    const states = async () =>
      listed(await call('GET', `/share-access-rules?share_id=${path.slice(8)}`), 'access_list').map(
        (each) => each['state'],
      );

    expect(await states()).toEqual(['queued_to_apply']);
    await test.clock.advance(1000);
    expect(await states()).toEqual(['applying']);
    expect((await call('GET', path)).body['share']).toMatchObject({ access_rules_status: 'syncing' });
    await test.clock.advance(1000);
    expect(await states()).toEqual(['active']);
    await call('POST', `${path}/action`, { deny_access: { access_id: id } });
    expect(await states()).toEqual(['queued_to_deny']);
    await test.clock.advance(1000);
    expect(await states()).toEqual([]);
  });

  it.each([
    ['extend', { new_size: 2 }, 'extending_error'],
    ['force_delete', {}, 'error_deleting'],
  ])('reports that its back end failed to perform %s', async (action, args, status) => {
    const path = await makeShare();
    await test.clock.advance(10_000);
    test.cloud.faults.add({ action: { kind: 'shareError' } });
    const { token } = action === 'force_delete' ? test.admin : test.demo;

    const response = await test.demo.call(
      'POST',
      `/share/v2${path}/action`,
      { [action]: args },
      {
        ...NEWEST,
        'X-Auth-Token': token,
      },
    );
    await test.clock.advance(10_000);

    expect([response.status, await statusOf(path)]).toEqual([202, status]);
  });

  it('continues after a restart of the cloud', async () => {
    const path = await makeShare();
    const savedState = test.cloud.snapshot();
    await test.clock.advance(10_000);
    test.cloud.restore(savedState);
    expect(await statusOf(path)).toBe('creating');
    await test.clock.advance(1);

    expect(await statusOf(path)).toBe('available');
  });
});

it('prevents readers from writing', async () => {
  const body = { share: { share_proto: 'NFS', size: 1 } };

  expect((await test.reader.call('POST', '/share/v2/shares', body, NEWEST)).status).toBe(403);
  expect((await test.reader.call('GET', '/share/v2/shares', undefined, NEWEST)).status).toBe(200);
});

it('has limits separate from those for volumes', async () => {
  test.cloud.setQuota('demo', { gigabytes: 7 });
  test.cloud.setQuota('demo', { gigabytes: 5 }, 'shared-file-system');
  const limitsOf = async (path: string) => (await test.demo.call('GET', path, undefined, NEWEST)).body['limits'];

  expect(await limitsOf('/share/v2/limits')).toMatchObject({ absolute: { maxTotalShareGigabytes: 5 } });
  expect(await limitsOf('/volume/v3/limits')).toMatchObject({ absolute: { maxTotalVolumeGigabytes: 7 } });
});
