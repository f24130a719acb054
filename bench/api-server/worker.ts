import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { quantile } from '../figures.ts';
import { nameOf, namespaceOf, OBJECTS_PER_NAMESPACE, objectOf, type Plural } from './objects.ts';
import type { Command, Range, Result, Target, Verb } from './protocol.ts';
import { now } from './wall-clock.ts';

/** A process that generates load on command from its parent. */

type Load = Extract<Command, { type: 'load' }>;
type Write = Extract<Command, { type: 'write' }>;

/** The object that `write` updates. */
const BEACON = 'beacon';
const SENT_AT_PREFIX = '"sentAt":"';
const WRITERS = 4;

let client: KubeClient | undefined;
let watches: Watches | undefined;

function connect(target: Target): KubeClient {
  const { url, certificateAuthority, certificate, privateKey } = target;
  const transport = new HttpsTransport({
    server: url,
    certificateAuthority,
    clientCertificate: () => clientCertificate,
  });
  const clientCertificate = { certificate, privateKey };
  return new KubeClient(transport, { userAgent: 'fairway-bench' });
}

async function run(command: Command): Promise<Partial<Result>> {
  if (command.type === 'target') {
    client?.close();
    client = connect(command.target);
    return {};
  }
  if (client === undefined) throw new Error('no target');
  switch (command.type) {
    case 'load':
      return load(client, command);
    case 'watch':
      watches = await Watches.open(client, command.namespace, command.count);
      return { count: command.count };
    case 'write':
      return write(client, command);
    case 'delivered':
      return watches?.waitForDelivery(command.writes) ?? {};
    case 'unwatch':
      watches?.close();
      watches = undefined;
      return {};
    default:
      return command satisfies never;
  }
}

async function load(client: KubeClient, { verb, plural, range, concurrency, durationMs }: Load) {
  const latenciesMs: number[] = [];
  const end = now() + durationMs;
  const pick = verb === 'create' ? sequentialIndexes(range) : randomIndexes(range);
  const lane = async () => {
    while (now() < end) {
      const index = pick();
      if (index === undefined) return;
      const begin = now();
      await request(client, verb, plural, index);
      latenciesMs.push(now() - begin);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return { count: latenciesMs.length, latenciesMs };
}

function sequentialIndexes({ from, to }: Range): () => number | undefined {
  let next = from;
  return () => (next < to ? next++ : undefined);
}

/** The same random sequence in every run. */
function randomIndexes({ from, to }: Range): () => number {
  let state = from + 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return from + ((state >>> 8) % (to - from));
  };
}

async function request(client: KubeClient, verb: Verb, plural: Plural, index: number): Promise<void> {
  const collection = `/api/v1/namespaces/${namespaceOf(index)}/${plural}`;
  const path = `${collection}/${nameOf(index)}`;
  switch (verb) {
    case 'create':
      await send(client, 'POST', collection, JSON.stringify(objectOf(plural, index)), 'application/json');
      return;
    case 'get':
      await send(client, 'GET', path);
      return;
    case 'list': {
      const text = await send(client, 'GET', collection);
      const items = text.split('"creationTimestamp":').length - 1;
      if (items !== OBJECTS_PER_NAMESPACE) throw new Error(`listed ${items} objects of ${namespaceOf(index)}`);
      return;
    }
    case 'patch': {
      const patch = { metadata: { annotations: { 'bench.fairway.dev/at': String(now()) } } };
      await send(client, 'PATCH', path, JSON.stringify(patch), 'application/merge-patch+json');
      return;
    }
    default:
      verb satisfies never;
  }
}

async function send(
  client: KubeClient,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: string,
  contentType?: string,
): Promise<string> {
  const response = await client.raw({
    method,
    path,
    ...(body !== undefined && { body }),
    ...(contentType !== undefined && { headers: { 'content-type': contentType } }),
  });
  return response.text();
}

/** Patches one object repeatedly with the current time, so that watchers can compute the latency. */
async function write(client: KubeClient, { namespace, durationMs, perSecond }: Write) {
  const path = `/api/v1/namespaces/${namespace}/configmaps/${BEACON}`;
  const start = now();
  const patch = async () => {
    const body = JSON.stringify({ data: { sentAt: String(now()) } });
    await send(client, 'PATCH', path, body, 'application/merge-patch+json');
  };
  let count = 0;
  if (perSecond === undefined) {
    const lane = async () => {
      for (; now() < start + durationMs; count++) await patch();
    };
    await Promise.all(Array.from({ length: WRITERS }, lane));
    return { count, atMs: start };
  }
  const writes: Promise<void>[] = [];
  for (; count < (durationMs / 1000) * perSecond; count++) {
    const wait = start + (count * 1000) / perSecond - now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    writes.push(patch());
  }
  await Promise.all(writes);
  return { count, atMs: start };
}

/** Watches on one namespace, each on its own connection. */
class Watches {
  readonly #abort = new AbortController();
  readonly #eventCounts: number[];
  #latenciesMs: number[] = [];
  #lastAtMs = 0;
  #onEvent = () => {};

  private constructor(count: number) {
    this.#eventCounts = Array.from({ length: count }, () => 0);
  }

  static async open(client: KubeClient, namespace: string, count: number): Promise<Watches> {
    const watches = new Watches(count);
    const collection = `/api/v1/namespaces/${namespace}/configmaps`;
    const list = JSON.parse(await send(client, 'GET', `${collection}?limit=1`)) as {
      metadata: { resourceVersion: string };
    };
    const path = `${collection}?watch=1&resourceVersion=${list.metadata.resourceVersion}`;
    const { signal } = watches.#abort;
    for (let opened = 0; opened < count; ) {
      const batch = Math.min(50, count - opened);
      const responses = await Promise.all(
        Array.from({ length: batch }, () => client.raw({ method: 'GET', path, signal })),
      );
      for (const response of responses) void watches.#follow(opened++, response.lines());
    }
    return watches;
  }

  async #follow(watch: number, lines: AsyncIterable<string>): Promise<void> {
    try {
      for await (const line of lines) {
        const at = line.indexOf(SENT_AT_PREFIX) + SENT_AT_PREFIX.length;
        if (at < SENT_AT_PREFIX.length) continue;
        this.#lastAtMs = now();
        this.#latenciesMs.push(this.#lastAtMs - Number(line.slice(at, line.indexOf('"', at))));
        this.#eventCounts[watch] = (this.#eventCounts[watch] ?? 0) + 1;
        this.#onEvent();
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error;
    }
    if (!this.#abort.signal.aborted) throw new Error('the server ended a watch');
  }

  /** Resolves when every watch has received this many events since the previous call. */
  async waitForDelivery(writes: number): Promise<Partial<Result>> {
    const total = writes * this.#eventCounts.length;
    const isDone = () => this.#latenciesMs.length >= total && this.#eventCounts.every((seen) => seen >= writes);
    await new Promise<void>((resolve) => {
      this.#onEvent = () => {
        if (isDone()) resolve();
      };
      this.#onEvent();
    });
    const result = { count: this.#latenciesMs.length, latenciesMs: this.#latenciesMs, atMs: this.#lastAtMs };
    this.#onEvent = () => {};
    this.#latenciesMs = [];
    this.#eventCounts.fill(0);
    return result;
  }

  close(): void {
    this.#abort.abort();
  }
}

/** Evenly spaced samples of the sorted values: the same quantiles with less data. */
function sample(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return Array.from({ length: Math.min(1000, sorted.length) }, (_, at) =>
    quantile(sorted, at / (Math.min(1000, sorted.length) - 1 || 1)),
  );
}

/** CPU usage at the last response. */
let cpu = process.cpuUsage();
process.on('message', (command: Command) => {
  const begin = now();
  void run(command)
    .catch((error: unknown): Partial<Result> => ({ error: error instanceof Error ? error.message : String(error) }))
    .then((partial) => {
      const { user, system } = process.cpuUsage(cpu);
      cpu = process.cpuUsage();
      const defaults = { count: 0, atMs: 0, elapsedMs: now() - begin, cpuMs: (user + system) / 1000 };
      process.send?.({ ...defaults, ...partial, latenciesMs: sample(partial.latenciesMs ?? []) } satisfies Result);
    });
});
