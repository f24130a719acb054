import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { reclaimMemory } from '@fairway/base/reclaim-memory';
import { Home } from '@fairway/service/up/home';
import { up } from '@fairway/service/up/up';
import { measureBareCloud } from './bare-cloud.ts';
import { startSteadyCloud } from './steady-cloud.ts';

/** JSON argument of the process. */
export interface FairwayProcessOptions {
  readonly home: string;
  /**
   * `none`: the simulated cloud as started by `fairway up`. `steady`: a separate simulated cloud with realistic,
   * constant latencies.
   */
  readonly latency: 'none' | 'steady';
}

export type FairwayProcessMessage =
  | { readonly type: 'ready'; readonly startMs: number }
  | { readonly type: 'bare'; readonly elapsedMs: number };

/** A complete Fairway with its cloud in one process. It responds to any message with the time that the cloud alone takes for three servers. */
async function main({ home: path, latency }: FairwayProcessOptions): Promise<void> {
  const home = new Home(path);
  home.create();
  const cloud = latency === 'steady' ? await startSteadyCloud(home) : undefined;
  if (cloud !== undefined) process.env['OS_CLIENT_CONFIG_FILE'] = home.cloudsYaml;
  const fairway = await up({
    home,
    host: '127.0.0.1',
    port: 0,
    cloud: cloud === undefined ? undefined : 'simulator',
    latency: 'none',
    defaultImage: undefined,
    version: '0.0.0-bench',
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
  });
  cloud?.startNodes();
  // As in the `fairway` command.
  reclaimMemory({ clock: systemClock });
  process.on('message', () => {
    if (cloud === undefined) return;
    void measureBareCloud(cloud.cloud, home).then((elapsedMs) => send({ type: 'bare', elapsedMs }));
  });
  process.once('SIGTERM', () => {
    void fairway
      .stop()
      .then(() => cloud?.close())
      .then(() => process.exit(0));
  });
  send({ type: 'ready', startMs: performance.now() });
}

function send(message: FairwayProcessMessage): void {
  process.send?.(message);
}

await main(JSON.parse(process.argv[2] ?? '{}') as FairwayProcessOptions);
