import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { type Cloud, createCloud } from '@fairway/simulator/cloud';
import { type LatencyProfile, NO_LATENCY } from '@fairway/simulator/http/latency';

/** The time that the simulated cloud takes to change a load balancer, in milliseconds. */
export interface Delays {
  readonly createMs: number;
  readonly updateMs: number;
}

/** A separate simulated cloud, with the directory that holds its files, and its project's member. */
export interface SimulatedCloud {
  readonly cloud: Cloud;
  readonly folder: string;
  readonly cloudsYaml: string;
  readonly origin: string;
  readonly member: OpenStackClient;
  close(): Promise<void>;
}

export const PASSWORD = 'bench';

export async function openSimulatedCloud(
  { createMs, updateMs }: Delays,
  more: Partial<LatencyProfile['lifecycle']> = {},
): Promise<SimulatedCloud> {
  const durations = {
    ...NO_LATENCY.lifecycle,
    loadBalancerCreate: createMs,
    loadBalancerUpdate: updateMs,
    loadBalancerDelete: updateMs,
    ...more,
  };
  const cloud = createCloud({
    clock: systemClock,
    random: Math.random,
    config: { password: PASSWORD, latency: { operations: {}, lifecycle: durations } },
  });
  const origin = await cloud.listen({ host: '127.0.0.1', port: 0 });
  const folder = await mkdtemp(join(tmpdir(), 'fairway-bench-'));
  const cloudsYaml = join(folder, 'clouds.yaml');
  await writeFile(cloudsYaml, cloud.cloudsYaml());
  const cloudOptions = { clock: systemClock, random: Math.random, log: silentLogger };
  const connection = openCloud(readCloudsYaml(cloudsYaml), 'simulator', cloudOptions);
  return {
    cloud,
    folder,
    cloudsYaml,
    origin,
    member: connection.client(),
    async close() {
      await connection.close();
      await cloud.close();
      await rm(folder, { recursive: true });
    },
  };
}
