import { type ApiRequest, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { requireAdmin, requireRead } from './access.ts';
import { requireProvider } from './flavor-choice.ts';
import { notImplemented } from './problem.ts';
import { FLAVOR_KEYS, ZONE_KEYS } from './profile-keys.ts';
import { describeProvider } from './provider.ts';
import type { ProviderName } from './records.ts';

/** The available providers, and their flavor and availability zone capabilities. */
export function providerRoutes(world: World): Route[] {
  const capabilities = (
    request: ApiRequest,
    what: 'flavor' | 'availability zone',
    known: Readonly<Record<string, string>>,
  ): { readonly name: string; readonly description: string }[] => {
    requireAdmin(request.access);
    const provider: ProviderName = requireProvider(world, request.params['provider'] ?? '');
    if (provider === 'ovn')
      throw notImplemented(provider, `This provider does not support getting the supported ${what} metadata.`);
    return Object.entries(known).map(([name, description]) => ({ name, description }));
  };
  return [
    {
      method: 'GET',
      template: '/providers',
      handle: ({ access }) => {
        requireRead(access, access.projectId);
        const names = world.config.loadBalancerProviders;
        return ok({ providers: names.map((name) => ({ name, description: describeProvider(name) })) });
      },
    },
    {
      method: 'GET',
      template: '/providers/{provider}/flavor_capabilities',
      handle: (request) => ok({ flavor_capabilities: capabilities(request, 'flavor', FLAVOR_KEYS) }),
    },
    {
      method: 'GET',
      template: '/providers/{provider}/availability_zone_capabilities',
      handle: (request) =>
        ok({ availability_zone_capabilities: capabilities(request, 'availability zone', ZONE_KEYS) }),
    },
  ];
}
