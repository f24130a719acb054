import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { ConfigMaps, Secrets } from '@fairway/kube/kinds/resources';
import type { BenchServer } from '../api-server/servers.ts';
import { type Attacker, openSilent, type Request, sendAll } from './client.ts';
import { aliases, copies, deepObject, digits, managedAliases, pairs } from './small-bodies.ts';
import { NAMESPACE } from './tenant.ts';

export interface Attack {
  readonly name: string;
  readonly goals: { readonly longestMs?: number; readonly othersMs: number; readonly growthMib: number };
  prepare?(server: BenchServer): Promise<unknown>;
  /** Resolves with the longest duration in milliseconds, if the client can measure it. */
  run(server: BenchServer): Promise<number | undefined>;
}

const ROUNDS = 20;
const MIB = 1024 * 1024;
/** Created before the measurement: the client's own work would count as waiting. */
const MANY_LABELS = pairs(3 * MIB - 1024);
const maps = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const pods = `/api/v1/namespaces/${NAMESPACE}/pods`;

/** One request at a time, from an authorized tenant. */
function repeated(name: string, one: Request): Attack {
  return {
    name,
    goals: { longestMs: 500, othersMs: 500, growthMib: 100 },
    prepare: ({ admin }) => {
      const metadata = { name: 'victim', namespace: NAMESPACE };
      return admin.resource(ConfigMaps).create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'x' } });
    },
    run: ({ target }) => sendAll(target, repeat(one, ROUNDS), 1),
  };
}

function repeat(one: Request, times: number): Request[] {
  return Array.from({ length: times }, () => one);
}

function strangerOf({ target: { url, certificateAuthority } }: BenchServer): Attacker {
  return { url, certificateAuthority };
}

interface Held {
  readonly connections: number;
  readonly bytes: string | Buffer;
  readonly reads: boolean;
  /** How long connections are held that the server does not close. */
  readonly patienceMs: number;
}

/** Opens connections and holds them; resolves with the milliseconds until the last one was closed. */
async function hold(attacker: Attacker, { connections, patienceMs, ...written }: Held): Promise<number> {
  const sockets: TLSSocket[] = [];
  const begin = performance.now();
  for (let index = 0; index < connections; index++) sockets.push(await openSilent(attacker, written));
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, patienceMs);
  const open = sockets.filter((socket) => !socket.closed);
  await Promise.all(open.map((socket) => once(socket, 'close')));
  clearTimeout(timer);
  return performance.now() - begin;
}

const STRANGERS = 300;
const WATCHES = 1_500;
/** Longer than the timeout of a stalled connection (`stallTimeoutMs`), including sweeps. */
const HOLD_MS = 45_000;
const TOKENS = 2_000;

export const ATTACKS: readonly Attack[] = [
  repeated('YAML, 0.5 KiB of aliases', {
    method: 'POST',
    path: maps,
    headers: { 'content-type': 'application/yaml' },
    body: aliases(),
  }),
  repeated('YAML, managedFields of aliases', {
    method: 'POST',
    path: maps,
    headers: { 'content-type': 'application/yaml' },
    body: managedAliases(),
  }),
  repeated('JSON Patch, 1.3 KiB that double', {
    method: 'PATCH',
    path: `${maps}/victim`,
    headers: { 'content-type': 'application/json-patch+json' },
    body: copies(),
  }),
  repeated('quantity of 60,000 digits', {
    method: 'POST',
    path: pods,
    headers: { 'content-type': 'application/json' },
    body: digits(),
  }),
  repeated('nesting, 20,000 levels', {
    method: 'POST',
    path: maps,
    headers: { 'content-type': 'application/json' },
    body: deepObject(),
  }),
  {
    name: 'Protobuf of strangers, 64 times 3 MiB',
    goals: { longestMs: 5_000, othersMs: 500, growthMib: 100 },
    run: (server) => {
      const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
      const one: Request = { method: 'POST', path: pods, headers, body: MANY_LABELS };
      return sendAll(strangerOf(server), repeat(one, 64), 16);
    },
  },
  {
    name: `${TOKENS} made-up tokens`,
    goals: { longestMs: 500, othersMs: 500, growthMib: 100 },
    run: (server) => {
      const token = () => randomBytes(32).toString('base64url');
      const requests = Array.from(
        { length: TOKENS },
        (): Request => ({ method: 'GET', path: maps, headers: { authorization: `Bearer ${token()}` } }),
      );
      return sendAll(strangerOf(server), requests, 16);
    },
  },
  {
    name: `bodies without end of ${STRANGERS} strangers`,
    goals: { longestMs: 30_000, othersMs: 1_000, growthMib: 100 },
    run: (server) => {
      const length = 3 * MIB - 1;
      const head = `POST ${maps} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
      const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(length - 1, ' ')]);
      return hold(strangerOf(server), { connections: STRANGERS, bytes, reads: true, patienceMs: 45_000 });
    },
  },
  {
    name: `paused watches of a large Secret, ${WATCHES}`,
    goals: { othersMs: 1_000, growthMib: 400 },
    prepare: ({ admin }) => {
      const data = { blob: randomBytes(700_000).toString('base64') };
      const metadata = { name: 'large', namespace: NAMESPACE };
      return admin.resource(Secrets).create({ apiVersion: 'v1', kind: 'Secret', metadata, data });
    },
    run: async ({ target }) => {
      const bytes = `GET /api/v1/namespaces/${NAMESPACE}/secrets?watch=1 HTTP/1.1\r\nHost: bench\r\n\r\n`;
      await hold(target, { connections: WATCHES, bytes, reads: false, patienceMs: HOLD_MS });
      // A client that does not read cannot see the end either.
      return undefined;
    },
  },
];
