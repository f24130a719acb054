import { flushCompileCache } from 'node:module';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { reclaimMemory } from '@fairway/base/reclaim-memory';
import { Home } from '@fairway/service/up/home';
import { up } from '@fairway/service/up/up';
import { RemoteRuntime } from './remote-runtime.ts';

/** JSON argument of the process. */
export interface FairwayProcessOptions {
  readonly home: string;
  readonly cloudsYaml: string;
  /** Unix sockets of the control plane hosts. */
  readonly sockets: readonly string[];
}

/** Live memory in bytes, after a full collection. */
export interface LiveMemory {
  readonly heapBytes: number;
  readonly rssBytes: number;
}

/** Runs only Fairway's API and controllers; responds to any message with its memory after a full collection. */
async function main({ home: path, cloudsYaml, sockets }: FairwayProcessOptions): Promise<void> {
  const home = new Home(path);
  home.create();
  await up({
    home,
    host: '127.0.0.1',
    port: 0,
    cloud: 'simulator',
    cloudsFile: cloudsYaml,
    latency: 'none',
    defaultImage: 'Ubuntu 22.04',
    version: '0.0.0-bench',
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
    controlPlanes: () => {
      const runtime = new RemoteRuntime(sockets);
      return { runtime, stopDeletedClusters: () => Promise.resolve(), close: () => runtime.close() };
    },
  });
  reclaimMemory({ clock: systemClock });
  process.on('message', () => {
    globalThis.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    process.send?.({ heapBytes: heapUsed + external, rssBytes: rss } satisfies LiveMemory);
  });
  // With `--cpu-prof`, an orderly exit writes the profile.
  process.once('SIGTERM', () => process.exit(0));
  process.send?.('ready');
  // As in the `fairway` command: the process is killed before its shutdown completes.
  flushCompileCache();
}

await main(JSON.parse(process.argv[2] ?? '{}') as FairwayProcessOptions);
