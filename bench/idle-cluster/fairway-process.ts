import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { simulatedProcesses } from '@fairway/service/up/control-planes';
import { Home } from '@fairway/service/up/home';
import { up } from '@fairway/service/up/up';

export type HeapMessage = { readonly type: 'ready' } | { readonly type: 'heap'; readonly bytes: number };

/** Collects repeatedly until nothing more is freed: finalizers release memory that only the next collection frees. */
const GC_ROUNDS = 4;
const GC_INTERVAL_MS = 200;

/**
 * Runs a Fairway whose cloud, control planes and nodes run in other processes; `path` is its home. It responds to any
 * message with its heap usage.
 */
async function main(path: string): Promise<void> {
  const fairway = await up({
    home: new Home(path),
    host: '127.0.0.1',
    port: 0,
    cloud: 'simulator',
    latency: 'none',
    defaultImage: 'Ubuntu 22.04',
    version: '0.0.0-bench',
    controlPlanes: simulatedProcesses({ env: process.env, address: '127.0.0.1', egress: { allowed: [], denied: [] } }),
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
  });
  process.on('message', () => void heapBytes().then((bytes) => send({ type: 'heap', bytes })));
  process.once('SIGTERM', () => void fairway.stop().then(() => process.exit(0)));
  send({ type: 'ready' });
}

async function heapBytes(): Promise<number> {
  for (let round = 0; round < GC_ROUNDS; round++) {
    globalThis.gc?.();
    await sleep(GC_INTERVAL_MS);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function send(message: HeapMessage): void {
  process.send?.(message);
}

await main(process.argv[2] ?? '.');
