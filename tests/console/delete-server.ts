import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';

/** Deletes a server of the project in the cloud, behind Fairway's back. Rejects if no server has the name. */
export async function deleteServer(cloudsYaml: string, name: string): Promise<void> {
  const clients = { clock: systemClock, random: Math.random, log: silentLogger };
  const cloud = openCloud(readCloudsYaml(cloudsYaml), 'simulator', clients);
  try {
    const { compute } = cloud.client();
    for await (const server of compute.servers.list()) {
      if (server.name === name) return await compute.servers.delete(server.id);
    }
    throw new Error(`the cloud has no server ${name}`);
  } finally {
    await cloud.close();
  }
}
