import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import type { Home } from '@fairway/service/up/home';
import type { Cloud } from '@fairway/simulator/cloud';

const SERVERS = 3;

/**
 * Measures how long the cloud itself takes, in ms, for the same calls with maximum concurrency: first the network,
 * subnet and security group, then servers until they are active. The router is created concurrently, because no server
 * depends on it.
 */
export async function measureBareCloud(simulated: Cloud, home: Home): Promise<number> {
  const cloudOptions = { clock: systemClock, random: Math.random, log: silentLogger };
  const cloud = openCloud(readCloudsYaml(home.cloudsYaml), 'simulator', cloudOptions);
  const { network, compute, images } = cloud.client();
  const [flavors, imageList, externals] = await Promise.all([
    Array.fromAsync(compute.flavors.list()),
    Array.fromAsync(images.list()),
    Array.fromAsync(network.networks.list({ 'router:external': true })),
  ]);
  const flavor = flavors.find(({ name }) => name === 'b3-8');
  const [image] = imageList;
  const [external] = externals;
  if (!flavor || !image || !external) throw new Error('the simulated cloud lacks flavor, image or external network');

  const active = new Set<string>();
  let onActive = () => {};
  const unsubscribe = simulated.onServerActive(({ id }) => {
    active.add(id);
    onActive();
  });
  const begin = performance.now();
  const createNetwork = async () => {
    const { id } = await network.networks.create({ name: 'bare' });
    const subnet = await network.subnets.create({
      name: 'bare',
      network_id: id,
      ip_version: 4,
      cidr: '192.168.77.0/24',
    });
    return { id, subnet };
  };
  const router = network.routers.create({ name: 'bare', external_gateway_info: { network_id: external.id } });
  const group = network.securityGroups.create({ name: 'bare', description: '' });
  const { id: networkId, subnet } = await createNetwork();
  const attached = router.then(({ id }) => network.routers.addInterface(id, { subnet_id: subnet.id }));
  const { id: groupId } = await group;
  const servers = await Promise.all(
    Array.from({ length: SERVERS }, (_, index) =>
      compute.servers.create({
        name: `bare-${index}`,
        flavorRef: flavor.id,
        imageRef: image.id,
        networks: [{ uuid: networkId }],
        security_groups: [{ name: groupId }],
      }),
    ),
  );
  await attached;
  await new Promise<void>((resolve) => {
    onActive = () => {
      if (servers.every(({ id }) => active.has(id))) resolve();
    };
    onActive();
  });
  const elapsedMs = performance.now() - begin;
  unsubscribe();
  await cloud.close();
  return elapsedMs;
}
