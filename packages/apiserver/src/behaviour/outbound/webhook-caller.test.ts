import { systemClock } from '@fairway/base/clock';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { FakeObjectReader } from '../../auth/object-reader-fake.ts';
import { OutboundClient, type OutboundClientOptions } from '../../outbound/outbound-client.ts';
import type { OutboundPolicy } from '../../outbound/outbound-policy.ts';
import { WebhookServer } from '../../outbound/testing/webhook-server.ts';
import { WebhookCaller } from '../../outbound/webhook-caller.ts';

let webhooks: WebhookServer;
const clients: OutboundClient[] = [];

beforeAll(async () => {
  webhooks = await WebhookServer.open();
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  webhooks.reviewsByPath.clear();
});
afterAll(() => webhooks[Symbol.asyncDispose]());

function caller(options: Partial<OutboundClientOptions> = {}): WebhookCaller {
  const client = new OutboundClient({ clock: systemClock, policy: () => undefined, ...options });
  clients.push(client);
  return new WebhookCaller({ reader: () => new FakeObjectReader(), clock: systemClock, random: () => 0, client });
}

const config = (host: string) => ({ url: `https://${host}:${webhooks.port}/ask`, caBundle: webhooks.caBundle });
const noLoopback: OutboundPolicy = (_, address) => (address.startsWith('127.') ? `${address} is ours` : undefined);

test('calls a webhook at the resolved address, with the name in its certificate', async () => {
  webhooks.reply('/ask', () => ({ body: { fine: true } }));
  const resolve = (name: string) => Promise.resolve(name === 'localhost' ? ['127.0.0.1'] : []);

  expect(await caller({ resolve }).post(config('localhost'), { some: 'review' }, 5000)).toEqual({ fine: true });
  expect(webhooks.reviewsByPath.get('/ask')).toEqual([{ some: 'review' }]);
});

test.each([
  { reason: 'a forbidden address', host: '127.0.0.1' },
  { reason: 'a name of a forbidden address', host: 'hooks.example.org' },
  { reason: 'a name whose address changes', host: 'rebinding.example.org' },
])('does not connect to $reason', async ({ host }) => {
  webhooks.reply('/ask', () => ({ body: {} }));
  const resolve = () => Promise.resolve(['127.0.0.1']);

  await expect(caller({ policy: noLoopback, resolve }).post(config(host), {}, 5000)).rejects.toThrow(
    `Post "https://${host}:${webhooks.port}/ask?timeout=5s": dial tcp: 127.0.0.1 is ours`,
  );
  expect(webhooks.reviewsByPath.size).toBe(0);
});

test.each([
  { reason: 'an unknown host name', resolve: [], says: 'dial tcp: lookup other.example.org: no such host' },
  {
    reason: 'a name that is missing in the certificate',
    resolve: ['127.0.0.1'],
    says: 'tls: failed to verify certificate: x509: certificate is not valid for other.example.org',
  },
])('fails with $reason', async ({ resolve, says }) => {
  const call = caller({ resolve: () => Promise.resolve(resolve) }).post(config('other.example.org'), {}, 5000);

  await expect(call).rejects.toThrow(says);
});

test.each([
  {
    reason: 'more bytes than the limit',
    answer: { body: 'x'.repeat(3 * 1024 * 1024 + 1) },
    says: 'more than 3145728 bytes',
  },
  { reason: 'a body that is not JSON', answer: { body: 'fine' }, says: "couldn't get the answer's JSON" },
  { reason: 'a redirect', answer: { body: '', status: 302 }, says: 'the server responded with the status code 302' },
  {
    reason: 'a protocol upgrade',
    answer: { body: '', status: 101, headers: { connection: 'upgrade', upgrade: 'other' } },
    says: /: EOF$/,
  },
  {
    reason: 'a Status',
    answer: { body: { kind: 'Status', message: 'out of order' }, status: 503 },
    says: 'out of order',
  },
])('rejects $reason as a response', async ({ answer, says }) => {
  webhooks.reply('/ask', () => answer);

  await expect(caller().post(config('127.0.0.1'), {}, 5000)).rejects.toThrow(says);
});

test('times out if a webhook is unresponsive', async () => {
  webhooks.reply('/ask', () => undefined);

  await expect(caller().post(config('127.0.0.1'), {}, 50)).rejects.toThrow(
    /^Post ".*\?timeout=1s": context deadline exceeded$/,
  );
});
