import type { CloudObservation } from './cloud-observation.ts';

/** A Neutron extension that Kubernetes or Fairway uses. */
export interface WantedExtension {
  readonly extension: string;
  readonly offered: 'yes' | 'no' | 'unknown';
  readonly purpose: string;
}

/** Extensions by purpose; any one of the aliases suffices. */
const WANTED_EXTENSIONS: readonly { readonly aliases: readonly string[]; readonly purpose: string }[] = [
  { aliases: ['router'], purpose: 'every cluster gets its own network' },
  { aliases: ['external-net'], purpose: 'nodes reach the Internet and can have floating IPs' },
  { aliases: ['security-group'], purpose: 'nodes have security groups' },
  { aliases: ['standard-attr-tag'], purpose: 'tags mark the owner of each resource' },
  { aliases: ['allowed-address-pairs'], purpose: 'nodes can send packets with pod addresses' },
  { aliases: ['port-security'], purpose: 'port security can be turned off if the CNI filters traffic' },
  { aliases: ['extraroute', 'extraroute-atomic'], purpose: 'pods are routed without an overlay' },
  { aliases: ['trunk'], purpose: 'pods have ports on VLANs of their node (kuryr-kubernetes)' },
  { aliases: ['quota_details', 'quotas'], purpose: 'remaining quota' },
];

/** The availability of each wanted extension. Pure. */
export function wantedExtensions({ extensions }: Pick<CloudObservation, 'extensions'>): readonly WantedExtension[] {
  return WANTED_EXTENSIONS.map(({ aliases, purpose }) => {
    const found = 'value' in extensions ? aliases.filter((alias) => extensions.value.includes(alias)) : undefined;
    const offered = found === undefined ? 'unknown' : found.length > 0 ? 'yes' : 'no';
    return { extension: (found?.length ? found : aliases).join(', '), offered, purpose };
  });
}
