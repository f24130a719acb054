import { ApiError } from '../http/api.ts';
import type { World } from '../world.ts';
import { disabledOption, invalid } from './problem.ts';
import { parseObject } from './profile-data.ts';
import type { ProviderName } from './records.ts';

interface FlavorChoice {
  readonly provider?: string | null | undefined;
  readonly flavor_id?: string | null | undefined;
}

/**
 * The provider of a new load balancer: the flavor's provider, or else the requested one, or else the cloud's
 * default.
 */
export function chooseProvider(world: World, { provider, flavor_id }: FlavorChoice): ProviderName {
  const { tables, config } = world;
  const flavor = flavor_id == null ? undefined : tables.loadBalancerFlavors.get(flavor_id);
  if (flavor_id != null && flavor === undefined) throw invalid('Invalid flavor_id.');
  if (flavor?.enabled === false) throw disabledOption('flavor', flavor.id);
  const flavorProvider = tables.loadBalancerFlavorProfiles.get(flavor?.flavor_profile_id ?? '')?.provider_name;
  if (flavorProvider !== undefined && provider != null && provider !== flavorProvider)
    throw new ApiError(400, `Flavor '${flavor_id}' is not compatible with provider '${provider}'`);
  return requireProvider(world, flavorProvider ?? provider ?? config.loadBalancerProviders[0]);
}

/** The provider with this name, if it is enabled. `octavia` is the old name of the amphora provider. */
export function requireProvider({ config }: World, name: string): ProviderName {
  const known = config.loadBalancerProviders.find(
    (each) => each === name || (each === 'amphora' && name === 'octavia'),
  );
  if (known === undefined) throw new ApiError(400, `Provider '${name}' is not enabled.`);
  return known;
}

/** Checks that the zone exists, is enabled, and allows VIPs on the network. */
export function requireZone({ tables }: World, name: string | null | undefined, networkId: string): void {
  if (name == null) return;
  const zone = tables.loadBalancerZones.get(name);
  if (zone === undefined) throw invalid('Invalid availability zone.');
  if (!zone.enabled) throw disabledOption('availability_zone', name);
  const data = tables.loadBalancerZoneProfiles.get(zone.availability_zone_profile_id)?.data ?? '{}';
  const networks = parseObject(data)?.['valid_vip_networks'];
  if (Array.isArray(networks) && networks.length > 0 && !networks.includes(networkId))
    throw invalid('Supplied VIP network_id is not allowed by the configuration of this deployment.');
}
