import { DEFAULT_CONFIG } from './default-config.ts';
import { firstOf, type Made, type TestUser } from './test-cloud.ts';

export function flavorId(name: string): string {
  return DEFAULT_CONFIG.flavors.find((flavor) => flavor.name === name)?.id ?? '';
}

export function imageId(name: string): string {
  return DEFAULT_CONFIG.images.find((image) => image.name === name)?.id ?? '';
}

/** A network with a subnet; the test must choose a unique name if it needs one. */
export async function makeNetwork(
  user: TestUser,
  { name = 'net', cidr = '10.0.0.0/24' }: { readonly name?: string; readonly cidr?: string } = {},
): Promise<{ readonly network: Made; readonly subnet: Made }> {
  const network = await user.make('/network/v2.0/networks', { network: { name } });
  const subnet = await user.make('/network/v2.0/subnets', {
    subnet: { network_id: network.id, ip_version: 4, cidr },
  });
  return { network, subnet };
}

/** The fields of a valid server, without networks. */
export function serverFields(overrides: object = {}): object {
  return { name: 's', flavorRef: flavorId('b3-8'), imageRef: imageId('Ubuntu 22.04'), networks: 'none', ...overrides };
}

/** A server at microversion 2.93, without networks by default. */
export async function makeServer(user: TestUser, overrides: object = {}, extra: object = {}): Promise<Made> {
  const body = { server: serverFields(overrides), ...extra };
  const answer = await user.call('POST', '/compute/v2.1/servers', body, LATEST);
  if (answer.status !== 202) throw new Error(`server create got ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body['server'] as unknown as Made;
}

export const LATEST = { 'OpenStack-API-Version': 'compute 2.93' };

export async function showServer(user: TestUser, id: string): Promise<Made> {
  return (await user.call('GET', `/compute/v2.1/servers/${id}`, undefined, LATEST)).body['server'] as unknown as Made;
}

/** The id of the external network. */
export async function externalNetworkId(user: TestUser): Promise<string> {
  return firstOf(await user.call('GET', '/network/v2.0/networks?router:external=true'), 'networks').id;
}

/** A router with a gateway and an interface on the subnet. */
export async function makeRouter(user: TestUser, subnetId: string): Promise<Made> {
  const router = await user.make('/network/v2.0/routers', {
    router: { name: 'r', external_gateway_info: { network_id: await externalNetworkId(user) } },
  });
  const answer = await user.call('PUT', `/network/v2.0/routers/${router.id}/add_router_interface`, {
    subnet_id: subnetId,
  });
  if (answer.status !== 200)
    throw new Error(`add_router_interface got ${answer.status}: ${JSON.stringify(answer.body)}`);
  return router;
}
