import type { FakeClock } from '@fairway/base/clock-fake';
import { type CreatedObject, listed, type TestCloud, type TestResponse, type TestUser } from '../test-cloud.ts';
import { makeNetwork } from '../test-resources.ts';

export const LBAAS = '/load-balancer/v2/lbaas';

/** A subnet in a separate network. */
export async function makeSubnet(user: TestUser, cidr = '10.0.0.0/24'): Promise<CreatedObject> {
  return (await makeNetwork(user, { cidr })).subnet;
}

/** Posts one object in a load balancer's tree and waits until the provider is done. */
export async function make(
  { demo, clock }: Pick<TestCloud, 'demo' | 'clock'>,
  path: string,
  body: object,
): Promise<CreatedObject> {
  const created = await demo.make(`${LBAAS}/${path}`, body);
  await settle(clock);
  return created;
}

/** Waits until the provider has finished pending work. */
export async function settle(clock: FakeClock): Promise<void> {
  await clock.advance(1);
}

export async function show(user: TestUser, path: string): Promise<CreatedObject> {
  const { body } = await user.call('GET', `${LBAAS}/${path}`);
  return Object.values(body)[0] as unknown as CreatedObject;
}

export async function list(user: TestUser, path: string): Promise<readonly CreatedObject[]> {
  const response = await user.call('GET', `${LBAAS}/${path}`);
  return listed(response, (path.split('?')[0] ?? '').split('/').at(-1) ?? '');
}

/** The text of an error as Octavia sends it. */
export function faultOf({ body }: TestResponse): string {
  return (body as unknown as { faultstring: string }).faultstring;
}

export interface Tree {
  readonly loadBalancer: CreatedObject;
  readonly listener: CreatedObject;
  readonly pool: CreatedObject;
  readonly member: CreatedObject;
}

/** A load balancer with a listener, its pool and a member; `fields` overrides their defaults. */
export async function makeTree(test: TestCloud, fields: Partial<Record<keyof Tree, object>> = {}): Promise<Tree> {
  const subnet = await makeSubnet(test.demo);
  const loadBalancer = await make(test, 'loadbalancers', {
    loadbalancer: { name: 'lb', vip_subnet_id: subnet.id, ...fields.loadBalancer },
  });
  const listener = await make(test, 'listeners', {
    listener: { loadbalancer_id: loadBalancer.id, protocol: 'TCP', protocol_port: 80, ...fields.listener },
  });
  const pool = await make(test, 'pools', {
    pool: { listener_id: listener.id, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', ...fields.pool },
  });
  const member = await make(test, `pools/${pool.id}/members`, {
    member: { address: '10.0.0.9', protocol_port: 8080, ...fields.member },
  });
  return { loadBalancer, listener, pool, member };
}
