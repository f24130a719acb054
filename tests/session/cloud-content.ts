import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';

/** Everything in the project that a tenant could have created, by kind: `{ servers: [name…], … }`. */
export async function cloudContent(cloudsYaml: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const cloud = openCloud(readCloudsYaml(cloudsYaml), 'simulator', {
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
  });
  try {
    const { compute, network } = cloud.client();
    return {
      servers: await names(compute.servers.list()),
      serverGroups: await names(compute.serverGroups.list()),
      keyPairs: (await compute.keyPairs()).map(({ name }) => name),
      networks: await names(network.networks.list()),
      subnets: await names(network.subnets.list()),
      ports: await names(network.ports.list()),
      routers: await names(network.routers.list()),
      floatingIps: await names(network.floatingIps.list()),
      securityGroups: await names(network.securityGroups.list()),
    };
  } finally {
    await cloud.close();
  }
}

async function names(objects: AsyncIterable<{ readonly id: string; readonly name?: string | null | undefined }>) {
  const found: string[] = [];
  for await (const { id, name } of objects) found.push(name || id);
  return found.sort();
}
