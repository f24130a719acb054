import type { CloudObservation } from './cloud-observation.ts';

/** An extension of Neutron that Kubernetes, or Fairway, makes use of. */
export interface WantedExtension {
  readonly extension: string;
  readonly offered: 'yes' | 'no' | 'unknown';
  readonly purpose: string;
}

/** By what they are for; any of the aliases will do. */
const WANTED: readonly { readonly aliases: readonly string[]; readonly purpose: string }[] = [
  { aliases: ['router'], purpose: 'clusters have networks of their own' },
  { aliases: ['external-net'], purpose: 'they reach the outside, and are reached by floating IPs' },
  { aliases: ['security-group'], purpose: 'what may reach nodes' },
  { aliases: ['standard-attr-tag'], purpose: 'tags say whose each resource is' },
  { aliases: ['allowed-address-pairs'], purpose: "pods' addresses may leave nodes as they are" },
  { aliases: ['port-security'], purpose: 'filters can be left out where the CNI does its own' },
  { aliases: ['extraroute', 'extraroute-atomic'], purpose: 'routes to pods without an overlay' },
  { aliases: ['trunk'], purpose: 'ports of pods on VLANs of their node (kuryr-kubernetes)' },
  { aliases: ['quota_details', 'quotas'], purpose: 'how much of the quota is left' },
];

/** Which of them the cloud has. Pure. */
export function wantedExtensions({ extensions }: Pick<CloudObservation, 'extensions'>): readonly WantedExtension[] {
  return WANTED.map(({ aliases, purpose }) => {
    const found = 'value' in extensions ? aliases.filter((alias) => extensions.value.includes(alias)) : undefined;
    const offered = found === undefined ? 'unknown' : found.length > 0 ? 'yes' : 'no';
    return { extension: (found?.length ? found : aliases).join(', '), offered, purpose };
  });
}
