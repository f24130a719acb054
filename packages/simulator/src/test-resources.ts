import { DEFAULT_CONFIG } from './default-config.ts';
import { type CreatedObject, firstListed, type TestUser } from './test-cloud.ts';

export function flavorId(name: string): string {
  return DEFAULT_CONFIG.flavors.find((flavor) => flavor.name === name)?.id ?? '';
}

export function imageId(name: string): string {
  return DEFAULT_CONFIG.images.find((image) => image.name === name)?.id ?? '';
}

/** Creates a network with a subnet. Tests that need a unique name must choose one. */
export async function makeNetwork(
  user: TestUser,
  { name = 'net', cidr = '10.0.0.0/24' }: { readonly name?: string; readonly cidr?: string } = {},
): Promise<{ readonly network: CreatedObject; readonly subnet: CreatedObject }> {
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

/** Creates a server at microversion 2.93, without networks by default. */
export async function makeServer(user: TestUser, overrides: object = {}, extra: object = {}): Promise<CreatedObject> {
  const body = { server: serverFields(overrides), ...extra };
  const response = await user.call('POST', '/compute/v2.1/servers', body, LATEST);
  if (response.status !== 202)
    throw new Error(`server create got ${response.status}: ${JSON.stringify(response.body)}`);
  return response.body['server'] as unknown as CreatedObject;
}

export const LATEST = { 'OpenStack-API-Version': 'compute 2.93' };

export async function showServer(user: TestUser, id: string): Promise<CreatedObject> {
  return (await user.call('GET', `/compute/v2.1/servers/${id}`, undefined, LATEST)).body[
    'server'
  ] as unknown as CreatedObject;
}

/** The ID of the external network. */
export async function externalNetworkId(user: TestUser): Promise<string> {
  return firstListed(await user.call('GET', '/network/v2.0/networks?router:external=true'), 'networks').id;
}

/** Creates a router with a gateway and an interface in the subnet. */
export async function makeRouter(user: TestUser, subnetId: string): Promise<CreatedObject> {
  const router = await user.make('/network/v2.0/routers', {
    router: { name: 'r', external_gateway_info: { network_id: await externalNetworkId(user) } },
  });
  const response = await user.call('PUT', `/network/v2.0/routers/${router.id}/add_router_interface`, {
    subnet_id: subnetId,
  });
  if (response.status !== 200)
    throw new Error(`add_router_interface got ${response.status}: ${JSON.stringify(response.body)}`);
  return router;
}
