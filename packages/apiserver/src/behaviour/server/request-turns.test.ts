import { systemClock } from '@fairway/base/clock';
import { afterEach, describe, expect, it } from 'vitest';
import type { Authenticator } from '../../auth/user.ts';
import type { AdmissionPlugin } from '../../server/admission.ts';
import { type HttpsFixture, startHttpsServer } from '../../server/https-server-fixture.ts';
import { RawClient } from '../../server/raw-client.ts';
import type { ResourceDefinition } from '../../server/resource.ts';
import { testResources } from '../../server/test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const REPORTS_PATH = '/apis/example.com/v1/reports';
const CONCURRENT_REQUESTS = 10;

const byName: Authenticator = {
  authenticate: ({ bearerToken }) =>
    Promise.resolve(bearerToken === undefined ? undefined : { username: bearerToken, groups: [] }),
};

describe('concurrent requests', () => {
  const clients: RawClient[] = [];
  let fixture: HttpsFixture | undefined;
  let turn = 0;
  let counting: NodeJS.Immediate | undefined;
  /** The event-loop turns in which requests were served. */
  const served: number[] = [];

  const recordingPlugin: AdmissionPlugin = {
    name: 'noting',
    mutate: ({ resource }) => {
      if (resource.plural === 'configmaps') served.push(turn);
      return undefined;
    },
  };
  const reports: ResourceDefinition = {
    group: 'example.com',
    version: 'v1',
    plural: 'reports',
    kind: 'Report',
    namespaced: false,
    schema: { type: 'object' },
    listed: () => {
      served.push(turn);
      return Promise.resolve({ items: [] });
    },
  };

  afterEach(async () => {
    clearImmediate(counting);
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await fixture?.[Symbol.asyncDispose]();
    served.splice(0);
  });

  async function serve(): Promise<void> {
    const resources = [...testResources, reports];
    fixture = await startHttpsServer({
      clock: systemClock,
      authenticators: [byName],
      admission: [recordingPlugin],
      resources,
    });
    await fixture.test.namespace();
    const count = () => {
      turn++;
      counting = setImmediate(count);
    };
    count();
  }

  /** Sends requests so that their last bytes arrive together. */
  async function sendConcurrently(request: (index: number) => string): Promise<void> {
    if (fixture === undefined) return;
    const { listener, certificateAuthority } = fixture;
    const releases: (() => void)[] = [];
    for (let index = 0; index < CONCURRENT_REQUESTS; index++) {
      const client = await RawClient.open(listener.port, certificateAuthority);
      clients.push(client);
      const text = request(index).replace('\r\n', `\r\nhost: a\r\nauthorization: Bearer mallory\r\n`);
      client.socket.write(text.slice(0, -1));
      releases.push(() => client.socket.write(text.slice(-1)));
    }
    for (const end of releases) end();
    await Promise.all(clients.map((client) => client.status()));
  }

  const creates = (index: number) => {
    const body = JSON.stringify({ metadata: { name: `c${index}` } });
    return `POST ${MAPS} HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
  const lists = () => `GET ${REPORTS_PATH} HTTP/1.1\r\n\r\n`;

  it.each([
    ['writes', creates],
    ['lists', lists],
  ])('are served one per event-loop turn if they are %s', async (_, request) => {
    await serve();
    await sendConcurrently(request);

    expect(served).toHaveLength(CONCURRENT_REQUESTS);
    expect(new Set(served).size).toBe(CONCURRENT_REQUESTS);
  });
});
