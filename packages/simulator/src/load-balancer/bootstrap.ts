import type { World } from '../world.ts';

/**
 * Creates the configured flavors, even in a cloud that was saved by an earlier release without flavors. OVN has no
 * flavors.
 */
export function bootstrapLoadBalancerFlavors({ config, tables }: World): void {
  const { loadBalancerFlavors: flavors, loadBalancerFlavorProfiles: profiles } = tables;
  if (flavors.size > 0 || !config.loadBalancerProviders.includes('amphora')) return;
  for (const { id, profileId, name, description, data } of config.loadBalancerFlavors) {
    profiles.put({ id: profileId, name, provider_name: 'amphora', data: JSON.stringify(data) });
    flavors.put({ id, name, description, enabled: true, flavor_profile_id: profileId });
  }
}
