import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { ConfigMaps, Secrets } from '@fairway/kube/kinds/resources';
import type { BenchServer } from '../api-server/servers.ts';
import { type Attacker, openStalledSocket, type Request, sendAll } from './client.ts';
import { aliases, copies, deepObject, digits, managedAliases, protobufPod } from './small-bodies.ts';
import { NAMESPACE } from './tenant.ts';

export interface Attack {
  readonly name: string;
  readonly goals: { readonly longestMs?: number; readonly otherClientsMs: number; readonly growthMib: number };
  prepare?(server: BenchServer): Promise<unknown>;
  /** Resolves with the longest duration in milliseconds, if the client can measure it. */
  run(server: BenchServer): Promise<number | undefined>;
}

const ROUNDS = 20;
const MIB = 1024 * 1024;
/** Created before the measurement, so that the client's own work does not count as waiting time. */
const MANY_LABELS = protobufPod(3 * MIB - 1024);
const maps = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const pods = `/api/v1/namespaces/${NAMESPACE}/pods`;

/** One request at a time, from an authorized tenant. */
function newRequestAttack(name: string, request: Request): Attack {
  return {
    name,
    goals: { longestMs: 500, otherClientsMs: 500, growthMib: 100 },
    prepare: ({ admin }) => {
      const metadata = { name: 'victim', namespace: NAMESPACE };
      return admin.resource(ConfigMaps).create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'x' } });
    },
    run: ({ target }) => sendAll(target, repeatRequest(request, ROUNDS), 1),
  };
}

function repeatRequest(request: Request, times: number): Request[] {
  return Array.from({ length: times }, () => request);
}

function anonymousClient({ target: { url, certificateAuthority } }: BenchServer): Attacker {
  return { url, certificateAuthority };
}

interface HoldOptions {
  readonly connections: number;
  readonly bytes: string | Buffer;
  readonly reads: boolean;
  /** How long connections stay open if the server does not close them. */
  readonly timeoutMs: number;
}

/** Opens connections and keeps them open; resolves with the milliseconds until the last connection was closed. */
async function holdConnections(
  attacker: Attacker,
  { connections, timeoutMs, ...payload }: HoldOptions,
): Promise<number> {
  const sockets: TLSSocket[] = [];
  const begin = performance.now();
  for (let index = 0; index < connections; index++) sockets.push(await openStalledSocket(attacker, payload));
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, timeoutMs);
  const open = sockets.filter((socket) => !socket.closed);
  await Promise.all(open.map((socket) => once(socket, 'close')));
  clearTimeout(timer);
  return performance.now() - begin;
}

const ANONYMOUS_CLIENTS = 300;
const WATCHES = 1_500;
/** Longer than the timeout of a stalled connection (`stallTimeoutMs`), including sweeps. */
const HOLD_TIMEOUT_MS = 45_000;
const TOKENS = 2_000;

export const ATTACKS: readonly Attack[] = [
  newRequestAttack('YAML, 0.5 KiB of aliases', {
    method: 'POST',
    path: maps,
    headers: { 'content-type': 'application/yaml' },
    body: aliases(),
  }),
  newRequestAttack('YAML, managedFields of aliases', {
    method: 'POST',
    path: maps,
    headers: { 'content-type': 'application/yaml' },
    body: managedAliases(),
  }),
  newRequestAttack('JSON Patch, 1.3 KiB of doubling copies', {
    method: 'PATCH',
    path: `${maps}/victim`,
    headers: { 'content-type': 'application/json-patch+json' },
    body: copies(),
  }),
  newRequestAttack('quantity of 60,000 digits', {
    method: 'POST',
    path: pods,
    headers: { 'content-type': 'application/json' },
    body: digits(),
  }),
  newRequestAttack('nesting, 20,000 levels', {
    method: 'POST',
    path: maps,
    headers: { 'content-type': 'application/json' },
    body: deepObject(),
  }),
  {
    name: 'unauthenticated Protobuf, 64 × 3 MiB',
    goals: { longestMs: 5_000, otherClientsMs: 500, growthMib: 100 },
    run: (server) => {
      const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
      const request: Request = { method: 'POST', path: pods, headers, body: MANY_LABELS };
      return sendAll(anonymousClient(server), repeatRequest(request, 64), 16);
    },
  },
  {
    name: `${TOKENS} made-up tokens`,
    goals: { longestMs: 500, otherClientsMs: 500, growthMib: 100 },
    run: (server) => {
      const token = () => randomBytes(32).toString('base64url');
      const requests = Array.from(
        { length: TOKENS },
        (): Request => ({ method: 'GET', path: maps, headers: { authorization: `Bearer ${token()}` } }),
      );
      return sendAll(anonymousClient(server), requests, 16);
    },
  },
  {
    name: `endless bodies from ${ANONYMOUS_CLIENTS} anonymous clients`,
    goals: { longestMs: 30_000, otherClientsMs: 1_000, growthMib: 100 },
    run: (server) => {
      const length = 3 * MIB - 1;
      const head = `POST ${maps} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
      const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(length - 1, ' ')]);
      return holdConnections(anonymousClient(server), {
        connections: ANONYMOUS_CLIENTS,
        bytes,
        reads: true,
        timeoutMs: 45_000,
      });
    },
  },
  {
    name: `paused watches of a large Secret, ${WATCHES}`,
    goals: { otherClientsMs: 1_000, growthMib: 400 },
    prepare: ({ admin }) => {
      const data = { blob: randomBytes(700_000).toString('base64') };
      const metadata = { name: 'large', namespace: NAMESPACE };
      return admin.resource(Secrets).create({ apiVersion: 'v1', kind: 'Secret', metadata, data });
    },
    run: async ({ target }) => {
      const bytes = `GET /api/v1/namespaces/${NAMESPACE}/secrets?watch=1 HTTP/1.1\r\nHost: bench\r\n\r\n`;
      await holdConnections(target, { connections: WATCHES, bytes, reads: false, timeoutMs: HOLD_TIMEOUT_MS });
      // A client that does not read cannot detect the end of the connection.
      return undefined;
    },
  },
];
