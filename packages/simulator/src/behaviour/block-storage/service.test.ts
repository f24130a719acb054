import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NEWEST } from '../../block-storage/test-volumes.ts';
import { DEFAULT_CONFIG } from '../../default-config.ts';
import { firstListed, listed, startTestCloud, type TestCloud } from '../../test-cloud.ts';

let test: TestCloud;
beforeAll(async () => {
  test = await startTestCloud();
});
afterAll(() => test.cloud.close());

describe('microversions of the block storage API', () => {
  it.each([
    [undefined, 'volume 3.0'],
    ['volume 3.44', 'volume 3.44'],
    ['compute 2.93, volume 3.50', 'volume 3.50'],
    ['volume latest', 'volume 3.70'],
  ])('selects version %s: %s', async (requested, reported) => {
    const headers = requested === undefined ? {} : { 'OpenStack-API-Version': requested };

    const response = await test.demo.call('GET', '/volume/v3/volumes', undefined, headers);

    expect(response.headers.get('openstack-api-version')).toBe(reported);
  });

  it.each([
    ['3.71', 406, 'Version 3.71 is not supported by the API. Minimum is 3.0 and maximum is 3.70.'],
    ['2.0', 406, 'Version 2.0 is not supported by the API. Minimum is 3.0 and maximum is 3.70.'],
    ['x', 400, 'API Version String x is of invalid format. Must be of format MajorNum.MinorNum.'],
  ])('refuses version %s with %i', async (requested, status, message) => {
    const headers = { 'OpenStack-API-Version': `volume ${requested}` };

    const response = await test.demo.call('GET', '/volume/v3/volumes', undefined, headers);

    expect(response.status).toBe(status);
    expect(Object.values(response.body)).toEqual([{ code: status, message }]);
  });

  it.each([
    ['GET', '/volumes/summary', '3.11'],
    ['GET', '/attachments', '3.26'],
  ])('does not serve %s %s in version %s', async (method, path, version) => {
    const headers = { 'OpenStack-API-Version': `volume ${version}` };

    const response = await test.demo.call(method, `/volume/v3${path}`, undefined, headers);

    expect(response.body).toEqual({ itemNotFound: { code: 404, message: 'The resource could not be found.' } });
  });
});

describe('volume types', () => {
  it('come from the configuration, with the first as default', async () => {
    const response = await test.demo.call('GET', '/volume/v3/types?sort=name:asc', undefined, NEWEST);
    const defaultType = await test.demo.call('GET', '/volume/v3/types/default', undefined, NEWEST);

    const names = DEFAULT_CONFIG.volumeTypes.map(({ name }) => name);
    expect(listed(response, 'volume_types').map(({ name }) => name)).toEqual(names.toSorted());
    expect(defaultType.body['volume_type']).toMatchObject({ name: 'classic' });
  });

  it('are created, shared with a project and deleted by administrators', async () => {
    const body = { volume_type: { name: 'own', extra_specs: { multiattach: '<is> True', secret: 'x' } } };
    expect((await test.demo.call('POST', '/volume/v3/types', body)).status).toBe(403);
    const hidden = { volume_type: { ...body.volume_type, 'os-volume-type-access:is_public': false } };
    const type = await test.admin.make('/volume/v3/types', hidden);
    const path = `/volume/v3/types/${type.id}`;

    expect((await test.admin.call('POST', '/volume/v3/types', body)).status).toBe(409);
    expect((await test.demo.call('GET', path)).status).toBe(404);
    const access = { addProjectAccess: { project: test.demo.projectId } };
    expect((await test.admin.call('POST', `${path}/action`, access)).status).toBe(202);
    expect((await test.demo.call('GET', path)).body['volume_type']).toMatchObject({
      extra_specs: { multiattach: '<is> True' },
      is_public: false,
    });
    expect((await test.admin.call('DELETE', path)).status).toBe(202);
    expect((await test.admin.call('GET', path)).status).toBe(404);
  });
});

describe('quota sets', () => {
  it('can be changed by administrators, but not to less than the usage', async () => {
    const path = `/volume/v3/os-quota-sets/${test.demo.projectId}`;
    await test.demo.make('/volume/v3/volumes', { volume: { size: 7 } });

    const put = (limits: object) => test.admin.call('PUT', path, { quota_set: limits });

    expect((await test.demo.call('PUT', path, { quota_set: { volumes: 5 } })).status).toBe(403);
    expect((await put({ volumes: 5 })).body['quota_set']).toMatchObject({ volumes: 5 });
    expect((await put({ gigabytes: 6 })).body).toEqual({
      badRequest: {
        code: 400,
        message:
          'Quota gigabytes limit must be equal or greater than existing resources. Current usage is 7 and the requested limit is 6.',
      },
    });
    expect((await put({ nope: 1 })).body).toEqual({
      badRequest: { code: 400, message: 'Invalid input received: Bad key(s) in quota set: nope' },
    });
    expect((await test.demo.call('GET', `${path}?usage=true`)).body['quota_set']).toMatchObject({
      volumes: { limit: 5, in_use: 1, reserved: 0 },
      gigabytes_classic: { limit: -1, in_use: 7, reserved: 0 },
    });
  });
});

it('reports a back end in each zone to administrators', async () => {
  const zones = await test.demo.call('GET', '/volume/v3/os-availability-zone');
  const services = await test.admin.call('GET', '/volume/v3/os-services?binary=cinder-volume');

  expect(zones.body['availabilityZoneInfo']).toHaveLength(3);
  expect(listed(services, 'services')).toHaveLength(3);
  expect(firstListed(services, 'services')).toMatchObject({ zone: 'nova-a', state: 'up' });
});
