import { API_VERSION } from '@fairway/api/group';
import { plans } from '@fairway/api/kinds/plan';
import { RawClient } from '@fairway/apiserver/server/raw-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type KeystoneGateway, startKeystoneGateway } from '../../testing/keystone-gateway.ts';
import { OWN_PAGE, TestBrowser } from '../../testing/test-browser.ts';
import { FORMS } from '../../testing/test-gateway.ts';

const KIB = 1024;
/** The limit for all unauthenticated clients together. */
const MAX_ANONYMOUS_BYTES = 40 * KIB;

describe.each(FORMS)('unauthenticated bodies at the %s gateway', (form) => {
  let gateway: KeystoneGateway;
  const clients: RawClient[] = [];
  beforeAll(async () => {
    gateway = await startKeystoneGateway(form, {}, { limits: { maxBodyBytesInFlightPerUser: MAX_ANONYMOUS_BYTES } });
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
  afterAll(() => gateway.close());

  async function post(path: string, headers: Record<string, string | number>, body: string): Promise<RawClient> {
    const { url, certificateAuthority } = await gateway.form.address();
    const client = await RawClient.open(Number(new URL(url).port), certificateAuthority);
    clients.push(client);
    client.send('POST', path, { ...OWN_PAGE, 'content-type': 'application/json', ...headers }, body);
    return client;
  }

  it('are refused before they arrive, by their length', async () => {
    const client = await post('/console/session', { 'content-length': 17 * KIB }, '{');

    expect(await client.status()).toBe(413);
  });

  it('are refused as soon as they are too long, if they don’t declare their length', async () => {
    const text = ' '.repeat(17 * KIB);
    const chunk = `${text.length.toString(16)}\r\n${text}\r\n`;
    const client = await post('/console/session', { 'transfer-encoding': 'chunked' }, chunk);

    expect(await client.status()).toBe(413);
  });

  it("don't delay signed-in users", async () => {
    const { password } = gateway.keystone.loginOf('simulator');
    const browser = await TestBrowser.at(gateway.form);
    await browser.signIn({ kind: 'password', username: 'demo', domain: 'Default', password });
    // Two requests occupy all but 8 KiB of the unauthenticated clients' share, and send nothing more.
    for (let index = 0; index < 2; index++) {
      await post('/console/session', { 'content-length': 16 * KIB }, ' '.repeat(16 * KIB - 1));
    }
    await expect
      .poll(() => browser.signIn({ kind: 'token', token: 'x'.repeat(4_096), more: 'y'.repeat(5_000) }))
      .toMatchObject({
        status: 429,
      });
    const stop = new AbortController();
    const watches = [
      { id: 1, path: `/apis/${API_VERSION}/${plans.plural}?watch=true&labelSelector=${'a'.repeat(1_900)}` },
    ];
    const paddedBody = { watches: Array.from({ length: 16 }, (_, id) => ({ ...watches[0], id })) };
    const { status } = await browser.send('/console/watches', {
      method: 'POST',
      body: paddedBody,
      signal: stop.signal,
    });
    stop.abort();
    browser.close();

    expect(status).toBe(200);
  });
});
