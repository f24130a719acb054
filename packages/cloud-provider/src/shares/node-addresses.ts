import { isIPv4 } from 'node:net';
import type { Machine } from '@fairway/api/kinds/machine';
import { cidrSet } from '@fairway/control-plane/process/egress/special-addresses';
import { SHARE_CLIENT_KEY } from './driver.ts';
import { isNetwork } from './share-parameters.ts';

/**
 * The addresses from which nodes mount a share, according to their Machines: internal addresses within the networks of
 * the share's class. Pure.
 */
export function nodeAddresses(
  machines: readonly Machine[],
  { metadata }: { readonly metadata: Readonly<Record<string, string>> },
): ReadonlySet<string> {
  const client = metadata[SHARE_CLIENT_KEY];
  const isWithin = client === undefined ? () => true : cidrSet(client.split(',').filter(isNetwork));
  const internal = machines.flatMap(({ status }) => status?.addresses ?? []);
  return new Set(
    internal
      .filter(({ type, address }) => type === 'InternalIP' && isIPv4(address) && isWithin(address))
      .map(({ address }) => address),
  );
}
