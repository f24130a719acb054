import { FakeClock } from '@fairway/base/clock-fake';
import { Cloud } from '@fairway/openstack/cloud';
import type { HttpResponse, HttpTransport } from '@fairway/openstack/http/transport';
import type { Service } from '@fairway/openstack/service';
import { SERVICES } from '@fairway/openstack/services';
import { expect, test } from 'vitest';
import { capabilitiesOf } from './cloud-capabilities.ts';
import { observeCloud } from './cloud-observation.ts';
import { renderCloudReport } from './cloud-report.ts';

/** Everything that `fairway doctor` needs to check an additional service. */
const backups: Service = {
  type: 'backup',
  project: 'Freezer',
  aliases: ['freezer'],
  majorVersion: /^v2$/,
  microversions: { name: 'backup' },
  probe: '/jobs?limit=1',
};
const ENDPOINT = 'http://cloud/backup';

test.each([
  { status: 200, row: /^backup +freezer +2\.5 +http:\/\/cloud\/backup\/v2$/m, reason: 'its probe succeeds' },
  { status: 503, row: /^backup +missing$/m, reason: 'its probe fails' },
])('doctor checks a service that is in the list: $reason', async ({ status, row }) => {
  const probed: string[] = [];
  const services = [...SERVICES, backups];
  const cloud = new Cloud({
    config: {
      name: 'home',
      authUrl: 'http://cloud/identity',
      credential: { kind: 'token', token: 'x', scope: { kind: 'default' } },
      region: undefined,
      interface: 'public',
      tls: { verify: true },
      endpointOverrides: {},
      computeMicroversion: undefined,
    },
    clock: new FakeClock(),
    random: () => 0.5,
    readFile: () => '',
    transport: transportOf((url) => {
      if (!url.endsWith(`/v2${backups.probe}`)) return 200;
      probed.push(url);
      return status;
    }),
    services,
    retry: { maxAttempts: 1, baseDelayMs: 0, maxDelayMs: 0 },
  });

  const observed = await observeCloud(cloud.client(), { name: 'home', region: undefined }, services);

  expect(probed).toEqual([`${ENDPOINT}/v2${backups.probe}`]);
  expect(renderCloudReport(observed, capabilitiesOf(observed))).toMatch(row);
});

function transportOf(statusOf: (url: string) => number): HttpTransport {
  const version = { id: 'v2', status: 'CURRENT', min_version: '2.0', max_version: '2.5' };
  const links = [{ rel: 'self', href: 'http://internal/v2/' }];
  return {
    async send({ url }): Promise<HttpResponse> {
      const { pathname } = new URL(url);
      if (pathname.endsWith('/auth/tokens')) return json(201, token, { 'x-subject-token': 't' });
      if (pathname === '/backup/') return json(200, { versions: [{ ...version, links }] });
      if (pathname === '/backup/v2/') return json(200, { version: { ...version, links } });
      return json(statusOf(url), {});
    },
    close: () => Promise.resolve(),
  };
}

function json(status: number, body: object, headers: Record<string, string> = {}): HttpResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

const endpoint = { id: 'e', interface: 'public', region: 'R', region_id: 'R', url: ENDPOINT };
const token = {
  token: {
    methods: ['token'],
    user: { id: 'u', name: 'u', domain: { id: 'd', name: 'd' } },
    issued_at: '1970-01-01T00:00:00.000Z',
    expires_at: '2100-01-01T00:00:00.000Z',
    catalog: [{ id: 's', type: 'freezer', name: 'freezer', endpoints: [endpoint] }],
  },
};
