import { CloudLoadBalancers } from '@fairway/openstack/config/load-balancer-settings';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, describe, expect, test } from 'vitest';
import { GatewayFairway } from '../../gateways/testing/gateway-fairway.ts';
import { EXTERNAL_ANNOTATIONS, RoutedFairway, SPEC } from '../../ingresses/testing/routed-fairway.ts';
import { ANNOTATION } from '../../load-balancers/annotation-names.ts';
import { LOAD_BALANCER_LATENCY } from '../../load-balancers/testing/load-balanced-fairway.ts';

/*
 * The operator's load balancer settings in clouds.yaml also apply to load balancers of Ingresses and Gateways, wherever
 * they make sense.
 */

const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...LOAD_BALANCER_LATENCY } };
/** A cloud where OVN is Octavia's default. */
const OVN_FIRST = { latency, loadBalancerProviders: ['ovn', 'amphora'] } as const;
const OVN_ALONE = { latency, loadBalancerProviders: ['ovn'] } as const;
const CLOUD_SETTINGS = CloudLoadBalancers.parse({ provider: 'ovn', lb_method: 'LEAST_CONNECTIONS' });

let fairway: RoutedFairway | GatewayFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

interface Kind {
  readonly kind: string;
  readonly start: (options: Parameters<typeof RoutedFairway.start>[0]) => Promise<unknown>;
  readonly make: (annotations?: Record<string, string>) => Promise<unknown>;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'an Ingress',
    async start(options) {
      fairway = await RoutedFairway.start(options);
    },
    make: async (annotations = {}) =>
      (fairway as RoutedFairway).create('shop', SPEC, { ...EXTERNAL_ANNOTATIONS, ...annotations }),
  },
  {
    kind: 'a Gateway',
    async start(options) {
      fairway = await GatewayFairway.start(options);
    },
    async make(annotations = {}) {
      const gateways = fairway as GatewayFairway;
      await gateways.createGateway('shop', undefined, annotations);
      await gateways.createRoute('shop');
    },
  },
];

describe.each(KINDS)('$kind', ({ start, make }) => {
  test('uses amphorae and the pools’ algorithm if Services are configured to use OVN, which does not parse HTTP', async () => {
    await start({ cloud: OVN_FIRST, loadBalancers: CLOUD_SETTINGS });
    await make();
    await fairway.pass(60_000);

    const [tree] = await fairway.balanced.trees();
    expect(tree?.loadBalancer).toMatchObject({ provider: 'amphora', provisioning_status: 'ACTIVE' });
    expect(tree?.pools.map(({ lb_algorithm }) => lb_algorithm)).toEqual(['LEAST_CONNECTIONS', 'LEAST_CONNECTIONS']);
    expect(await fairway.policies()).toHaveLength(2);
  });

  test.each([
    {
      is: 'OVN is selected for Services, and no other provider exists',
      cloud: OVN_ALONE,
      loadBalancers: CLOUD_SETTINGS,
    },
    { is: "OVN is Octavia's own default, and no provider is selected", cloud: OVN_FIRST, loadBalancers: undefined },
  ])('reports that it cannot be served if $is', async ({ cloud, loadBalancers }) => {
    await start({ cloud, ...(loadBalancers && { loadBalancers }) });
    await make();
    await fairway.pass(60_000);

    expect(await fairway.balanced.trees()).toEqual([]);
    expect((await fairway.warnings()).join()).toMatch(/load_balancers.provider/);
  });

  test('is refused with an unknown class', async () => {
    await start({ cloud: { latency } });
    await make({ [ANNOTATION.class]: 'gold' });
    await fairway.pass(60_000);

    const reported = fairway instanceof GatewayFairway ? await fairway.messages() : await fairway.warnings();
    expect(reported.join()).toContain('class "gold" does not exist; available: none');
    expect(await fairway.balanced.trees()).toEqual([]);
  });

  test('gets its address from the network of its class', async () => {
    const network = '4b2ee5ba-2d1f-4ba4-9a31-1b9b2b6a9d5e';
    const classes = { gone: { floating_network_id: network } };
    await start({ cloud: { latency }, loadBalancers: CloudLoadBalancers.parse({ classes }) });
    await make({ [ANNOTATION.class]: 'gone' });
    await fairway.pass(60_000);

    // This network does not exist, so the error shows that it was requested.
    expect((await fairway.warnings()).join()).toContain(network);
  });
});
