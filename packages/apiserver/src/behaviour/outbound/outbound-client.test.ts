import { systemClock } from '@fairway/base/clock';
import { expect, test } from 'vitest';
import { ExtensionServer } from '../../aggregation/testing/extension-server.ts';
import { OutboundClient } from '../../outbound/outbound-client.ts';

const TIMEOUT_MS = 10_000;

test.each([
  { method: 'GET', times: 2, outcome: '200' },
  { method: 'POST', times: 1, outcome: 'EOF' },
  { method: 'DELETE', times: 1, outcome: 'EOF' },
  { method: 'POST', isRepeatable: true, times: 2, outcome: '200' },
])('sends a $method $times times if an idle connection breaks', async ({ times, outcome, ...call }) => {
  await using server = await ExtensionServer.open({ dnsName: 'ext.ns.svc', group: 'example.com', version: 'v1' });
  let heard = 0;
  server.respond('/first', (_request, response) => response.end());
  server.respond('/second', (_request, response) => {
    if (heard++ === 0) response.socket?.destroy();
    else response.end();
  });
  const client = new OutboundClient({ clock: systemClock, policy: () => undefined });
  const destination = { kind: 'cluster', host: '127.0.0.1', port: server.port, insecureSkipTlsVerify: true } as const;
  const common = { headers: {}, timeoutMs: TIMEOUT_MS };
  const first = await client.request(destination, { ...common, method: 'GET', path: '/first' });
  const ended = new Promise((resolve) => first.once('close', resolve));
  first.resume();
  await ended;
  // The connection becomes idle in the next event-loop turn.
  await new Promise(setImmediate);

  const second = await client.request(destination, { ...common, ...call, path: '/second' }).then(
    (response) => String(response.resume().statusCode),
    (error: Error) => error.message,
  );
  expect([second, heard]).toEqual([outcome, times]);
  client.close();
});
