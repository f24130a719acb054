import { VersionDocument } from '@fairway/openstack/types/version';
import { expect, it } from 'vitest';
import { describeClouds } from './targets.ts';

describeClouds('catalog and versions', (cloud) => {
  it.each(['identity', 'compute', 'network', 'image'] as const)(
    'has a public endpoint for %s in the region',
    async (service) => {
      const { token } = await cloud().member.session.token();
      const { region } = cloud().cloud.config;

      const entry = token.catalog.find((each) => each.type === service);

      expect(entry?.endpoints).toContainEqual(
        expect.objectContaining({
          interface: 'public',
          region,
          region_id: region,
          url: expect.stringMatching(/^https?:/),
        }),
      );
    },
  );

  it.each([
    { service: 'identity', ends: /\/v3$/ },
    { service: 'compute', ends: /\/v2\.1$/ },
    { service: 'network', ends: /\/v2\.0$/ },
    { service: 'image', ends: /\/v2$/ },
  ] as const)('discovers the version of $service at an endpoint that ends in $ends', async ({ service, ends }) => {
    expect(await cloud().member.session.endpoint(service)).toMatch(ends);
  });

  it.each(['identity', 'compute', 'network', 'image'] as const)(
    'lists the versions of %s at its root',
    async (service) => {
      const endpoint = await cloud().member.session.endpoint(service);

      const response = await cloud().fetch(`${endpoint.replace(/\/v[\d.]+$/, '')}/`, 'GET');

      expect([200, 300]).toContain(response.status);
      expect(VersionDocument.safeParse(response.json).error).toBeUndefined();
    },
  );

  it('reports compute’s range of microversions', async () => {
    const range = await cloud().member.session.microversions('compute');

    expect(range).toEqual({ min: '2.1', max: expect.stringMatching(/^2\.\d+$/) });
    expect(await cloud().member.compute.microversion()).toBe('2.93');
  });

  it('uses the requested microversion, and reports it', async () => {
    const headers = { 'openstack-api-version': 'compute 2.53' };

    const response = await cloud().raw('compute', 'GET', '/servers', { headers });

    expect(response.headers.get('openstack-api-version')).toBe('compute 2.53');
    expect(response.headers.get('x-openstack-nova-api-version')).toBe('2.53');
    expect(response.headers.get('vary')).toContain('OpenStack-API-Version');
    const latest = await cloud().raw('compute', 'GET', '/servers', {
      headers: { 'openstack-api-version': 'compute latest' },
    });
    expect(latest.headers.get('openstack-api-version')).toMatch(/^compute 2\.\d+$/);
  });

  it.each([
    {
      wanted: '2.999',
      status: 406,
      body: {
        computeFault: {
          code: 406,
          message: expect.stringMatching(
            /^Version 2\.999 is not supported by the API\. Minimum is 2\.1 and maximum is 2\.\d+\.$/,
          ),
        },
      },
    },
    {
      wanted: 'x',
      status: 400,
      body: {
        badRequest: {
          code: 400,
          message: 'API Version String x is of invalid format. Must be of format MajorNum.MinorNum.',
        },
      },
    },
  ])('refuses microversion $wanted with $status', async ({ wanted, status, body }) => {
    const response = await cloud().raw('compute', 'GET', '/servers', {
      headers: { 'openstack-api-version': `compute ${wanted}` },
    });

    expect(response.status).toBe(status);
    expect(response.json).toEqual(body);
  });

  it('uses the oldest microversion by default', async () => {
    const { id } = await cloud().smallestFlavor();

    const oldest = await cloud().raw('compute', 'GET', `/flavors/${id}`, {
      headers: { 'openstack-api-version': 'compute 2.1' },
    });
    const newer = await cloud().raw('compute', 'GET', `/flavors/${id}`, {
      headers: { 'openstack-api-version': 'compute 2.61' },
    });

    // Descriptions were added in 2.55, extra specs in 2.61.
    expect(Object.keys((oldest.json as { flavor: object }).flavor)).not.toContain('description');
    expect(Object.keys((newer.json as { flavor: object }).flavor)).toContain('description');
  });

  it.each(['compute', 'network', 'identity', 'image'] as const)(
    'returns a request ID with every response of %s',
    async (service) => {
      const path = { compute: '/servers', network: '/networks', identity: '/auth/projects', image: '/images' }[service];

      const response = await cloud().raw(service, 'GET', path);

      expect(response.status).toBe(200);
      expect(response.headers.get('x-openstack-request-id')).toMatch(/^req-[0-9a-f-]{36}$/);
    },
  );

  it.each([
    {
      service: 'compute',
      json: {
        code: '404 Not Found',
        title: 'Not Found',
        message: 'The resource could not be found.<br /><br />\n\n\n',
      },
    },
    {
      service: 'network',
      json: { NeutronError: { type: 'HTTPNotFound', message: 'The resource could not be found.', detail: '' } },
    },
  ] as const)('returns 404 for unknown paths of $service', async ({ service, json }) => {
    const response = await cloud().raw(service, 'GET', '/nope');

    expect(response.status).toBe(404);
    expect(response.json).toEqual(json);
  });

  it('has the extensions that clusters need', async () => {
    const aliases = (await cloud().member.network.extensions()).map((extension) => extension.alias);

    expect(aliases).toEqual(
      expect.arrayContaining([
        'router',
        'external-net',
        'security-group',
        'allowed-address-pairs',
        'port-security',
        'standard-attr-tag',
        'standard-attr-revisions',
        'quota_details',
      ]),
    );
  });
});
