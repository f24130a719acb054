import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { Home } from '@fairway/service/up/home';
import { bootHollowNodes, type SimulatedCloud } from '@fairway/service/up/simulated-cloud';
import { createCloud } from '@fairway/simulator/cloud';
import { type Duration, type LatencyProfile, REALISTIC_LATENCY } from '@fairway/simulator/http/latency';

/**
 * The simulated cloud with realistic latency, but each step takes its mean duration, so that the cloud causes no
 * differences between runs.
 */
export async function startSteadyCloud(home: Home): Promise<SimulatedCloud> {
  const common = { clock: systemClock, random: Math.random, log: silentLogger };
  const cloud = createCloud({
    ...common,
    config: { stateFile: home.simulatorState, latency: withMeanLatency(REALISTIC_LATENCY) },
  });
  await cloud.listen({ host: '127.0.0.1', port: 0 });
  home.write(home.cloudsYaml, cloud.cloudsYaml());
  return bootHollowNodes(cloud, { home, ...common });
}

function withMeanLatency({ operations, lifecycle }: LatencyProfile): LatencyProfile {
  return {
    operations: mapValues(operations, meanOf),
    lifecycle: mapValues(lifecycle, meanOf) as LatencyProfile['lifecycle'],
  };
}

function meanOf(duration: Duration): number {
  return typeof duration === 'number' ? duration : (duration[0] + duration[1]) / 2;
}

function mapValues<V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
