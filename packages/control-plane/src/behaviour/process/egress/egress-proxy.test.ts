import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { silentLogger } from '@fairway/base/log';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { machineNetwork } from '../../../process/egress/egress-network.ts';
import { type EgressKind, type EgressPolicy, egressPolicy } from '../../../process/egress/egress-policy.ts';
import { EgressProxy, egressSocketName, MAX_CONNECTIONS } from '../../../process/egress/egress-proxy.ts';

let folder: string;
let listener: Server;
let port: number;
/** Connections that the listener has accepted. */
let reached: Socket[];
/** Local addresses of these connections. */
let reachedAt: (string | undefined)[];
/** Responses from the name server, in order; the last one repeats. */
let dnsResponses: string[][];
let judged: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-egress-'));
  reached = [];
  reachedAt = [];
  dnsResponses = [['127.0.0.1']];
  judged = [];
  listener = createServer({ allowHalfOpen: true }, (socket) => {
    reached.push(socket);
    reachedAt.push(socket.localAddress);
    socket.on('error', () => socket.destroy());
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  port = (listener.address() as { port: number }).port;
});
afterEach(async () => {
  for (const socket of reached) socket.destroy();
  await new Promise((resolve) => listener.close(resolve));
  await rm(folder, { recursive: true });
});

const allowAny: EgressPolicy = (kind, address) => {
  judged.push(`${kind} ${address}`);
  return undefined;
};

const strict = egressPolicy({
  nodeNetworks: ['127.0.0.0/8'],
  exceptions: { allowed: [], denied: [] },
  ownAddresses: () => [],
});

function open(policy: EgressPolicy, inside = folder): Promise<EgressProxy> {
  const resolve = () => Promise.resolve((dnsResponses.length > 1 ? dnsResponses.shift() : dnsResponses[0]) ?? []);
  const network = { ...machineNetwork, resolve };
  return EgressProxy.listen({ folder: inside, user: undefined, network, log: silentLogger }, policy);
}

interface ProxyResponse {
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly socket: Socket;
}

function openTunnel(authority: string, kind: EgressKind = 'controlplane'): Promise<ProxyResponse> {
  return new Promise((resolve, reject) => {
    const socketPath = join(folder, egressSocketName(kind));
    const clientRequest = request({ socketPath, method: 'CONNECT', path: authority, agent: false });
    clientRequest.once('connect', ({ statusCode: status, statusMessage: reason }, socket) => {
      resolve({ status, reason, socket });
    });
    clientRequest.once('error', reject);
    clientRequest.end();
  });
}

/** Sends text and returns the response. */
function echo(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      received += chunk;
    });
    socket.once('end', () => resolve(received));
    socket.once('error', reject);
    socket.end(text);
  });
}

test('copies bytes both ways, and lets either side end first', async () => {
  await using _ = await open(allowAny);

  const { status, socket } = await openTunnel(`127.0.0.1:${port}`, 'cluster');

  expect(status).toBe(200);
  const text = 'x'.repeat(2 ** 20);
  expect(await echo(socket, text)).toBe(text);
  expect(judged).toEqual(['cluster 127.0.0.1']);
});

test.each(['127.0.0.1', '127.1.2.3', 'localhost', 'rebinding.example.org', '[::1]', '[::ffff:127.0.0.1]'])(
  'refuses connections to %s on this machine',
  async (host) => {
    await using _ = await open(strict);

    for (const kind of ['cluster', 'controlplane'] as const) {
      expect(await openTunnel(`${host}:${port}`, kind)).toMatchObject({
        status: 403,
        reason: expect.stringContaining('loopback'),
      });
    }
    expect(reached).toEqual([]);
  },
);

describe('the token webhook', () => {
  const WEBHOOK = 'token-review.fairway.internal:443';

  test('is reached by its name, which is never resolved via DNS', async () => {
    await using proxy = await open(allowAny);
    proxy.tokenWebhook = { serve: (socket) => void socket.pipe(socket) };

    const { status, socket } = await openTunnel(WEBHOOK);

    expect(status).toBe(200);
    expect(await echo(socket, 'hello')).toBe('hello');
    expect(judged).toEqual([]);
  });

  test.each([
    { who: "the tenant's API services", kind: 'cluster' as const, isServed: true },
    { who: 'anyone if there is none', kind: 'controlplane' as const, isServed: false },
  ])('cannot be reached by $who', async ({ kind, isServed }) => {
    await using proxy = await open(allowAny);
    proxy.tokenWebhook = isServed ? { serve: (socket) => void socket.pipe(socket) } : undefined;

    expect(await openTunnel(WEBHOOK, kind)).toMatchObject({ status: 403, reason: 'this name is not served here' });
    expect([judged, reached]).toEqual([[], []]);
  });
});

test('connects to the address that was checked, even if the name resolves differently the next time', async () => {
  dnsResponses = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.3']];
  await using _ = await open(allowAny);

  const { socket } = await openTunnel(`rebinding.example.org:${port}`);
  await echo(socket, 'hello');

  expect(judged).toEqual(['controlplane 127.0.0.1']);
  expect(reachedAt).toEqual(['127.0.0.1']);
});

test('tries a host’s allowed addresses in order', async () => {
  dnsResponses = [['169.254.169.254', '127.0.0.9', '127.0.0.1']];
  await using _ = await open((_kind, address) => (address.startsWith('127.') ? undefined : 'not that one'));

  const { status, socket } = await openTunnel(`several.example.org:${port}`);
  expect(status).toBe(200);
  await echo(socket, 'hello');

  expect(reachedAt).toEqual(['127.0.0.1']);
});

test('applies a changed policy to new connections', async () => {
  await using proxy = await open(allowAny);
  (await openTunnel(`127.0.0.1:${port}`)).socket.destroy();

  proxy.policy = strict;

  expect((await openTunnel(`127.0.0.1:${port}`)).status).toBe(403);
});

test.each(['', 'host', ':443', 'host:0', 'host:99999', 'a b:443', '[::1:443', '::1:443', 'user@host:443', '%0d%0a:1'])(
  'refuses CONNECT "%s"',
  async (authority) => {
    await using _ = await open(allowAny);

    expect(await openTunnel(authority).catch(() => ({ status: 400 }))).toMatchObject({ status: 400 });
    expect(judged).toEqual([]);
  },
);

test('rejects requests other than CONNECT', async () => {
  await using _ = await open(allowAny);
  const socketPath = join(folder, egressSocketName('cluster'));

  const status = await new Promise((resolve, reject) => {
    request({ socketPath, path: `http://127.0.0.1:${port}/`, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });

  expect(status).toBe(405);
  expect(reached).toEqual([]);
});

describe('the cluster’s pods', () => {
  /** Pods with an address echo what they receive. */
  function podsAt(known: string) {
    return {
      asked: [] as string[],
      connect(address: string, podPort: number, policy: (address: string, port: number) => string | undefined) {
        this.asked.push(`${address}:${podPort} ${policy('127.0.0.1', 10_250) ?? 'through a kubelet'}`);
        return Promise.resolve(address === known ? new PassThrough() : undefined);
      },
    };
  }

  test('are reached through their kubelet if their address is not allowed', async () => {
    await using proxy = await open((kind, address, to) => (to === 10_250 ? undefined : `no ${kind} ${address}`));
    const pods = podsAt('10.2.1.7');
    proxy.pods = pods;

    const { status, socket } = await openTunnel('10.2.1.7:8443', 'cluster');

    expect(status).toBe(200);
    expect(await echo(socket, 'hello')).toBe('hello');
    expect(pods.asked).toEqual(['10.2.1.7:8443 through a kubelet']);
  });

  test.each([
    { kind: 'cluster', host: '10.2.1.8', asked: ['10.2.1.8:8443 no'], reason: 'no pod has the address' },
    { kind: 'controlplane', host: '10.2.1.7', asked: [], reason: 'a webhook with a URL is not a pod' },
    { kind: 'cluster', host: 'localhost', asked: [], reason: 'a name is not a pod' },
  ] as const)('are unreachable: $reason', async ({ kind, host, asked }) => {
    await using proxy = await open(() => 'no');
    const pods = podsAt('10.2.1.7');
    proxy.pods = pods;

    expect(await openTunnel(`${host}:8443`, kind)).toMatchObject({ status: 403, reason: 'no' });
    expect(pods.asked).toEqual(asked);
  });
});

test('responds with the reason if a connection fails', async () => {
  await using _ = await open(allowAny);
  await new Promise((resolve) => listener.close(resolve));

  expect(await openTunnel(`127.0.0.1:${port}`)).toMatchObject({
    status: 502,
    reason: expect.stringContaining('ECONNREFUSED'),
  });
  listener = createServer().listen(0, '127.0.0.1');
});

test('limits the number of connections', async () => {
  await using _ = await open(allowAny);
  const idle = await Promise.all(
    Array.from({ length: MAX_CONNECTIONS }, async () => {
      const socket = connect(join(folder, egressSocketName('cluster')));
      await new Promise((resolve) => socket.once('connect', resolve));
      return socket;
    }),
  );

  expect(await openTunnel(`127.0.0.1:${port}`, 'cluster')).toMatchObject({ status: 503 });

  for (const socket of idle) socket.destroy();
});

test('hands its socket over to a successor, where it survives the shutdown of the predecessor', async () => {
  const before = await open(allowAny);
  await using _ = await open(allowAny);
  await before.close();

  const { status, socket } = await openTunnel(`127.0.0.1:${port}`);

  expect(status).toBe(200);
  socket.destroy();
  expect((await readdir(folder)).sort()).toEqual(['cluster.sock', 'controlplane.sock']);
});

test('restricts its sockets to this user, in a directory whose path can be of any length', async () => {
  await chmod(folder, 0o755);
  const deep = join(folder, 'x'.repeat(120));
  await using _ = await open(allowAny, deep);

  expect((await stat(deep)).mode & 0o777).toBe(0o700);
  for (const name of await readdir(deep)) expect((await stat(join(deep, name))).mode & 0o777).toBe(0o600);
});
