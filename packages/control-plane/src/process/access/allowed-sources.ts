import { isIPv4 } from 'node:net';
import { isRestricted } from '../../allowed-cidrs.ts';
import type { ControlPlaneSpec } from '../../runtime.ts';
import type { AccessState } from './access-guard.ts';

/** Messages list up to this many ranges in full. */
const MAX_LISTED_SOURCES = 5;

/**
 * The addresses that may reach a cluster's API server: those that its owner allows, and those of its nodes. Undefined
 * if all addresses may reach it. Pure.
 */
export function allowedSources(
  spec: Pick<ControlPlaneSpec, 'apiServer' | 'nodeNetworks' | 'nodeAddresses'>,
): readonly string[] | undefined {
  if (!isRestricted(spec)) return undefined;
  return [...(spec.apiServer.allowedCIDRs ?? []), ...nodeSources(spec)];
}

/** Description of the restriction in effect; undefined if there is none. Pure. */
export function enforcedMessage(
  spec: Pick<ControlPlaneSpec, 'apiServer' | 'nodeNetworks' | 'nodeAddresses'>,
  { kind }: AccessState,
): string | undefined {
  if (kind !== 'enforced') return undefined;
  const nodes = nodeSources(spec);
  return `the API server accepts connections from ${listed(spec.apiServer.allowedCIDRs ?? [])}, and from nodes in ${listed(nodes)}`;
}

function nodeSources({
  nodeNetworks,
  nodeAddresses,
}: Pick<ControlPlaneSpec, 'nodeNetworks' | 'nodeAddresses'>): readonly string[] {
  return [...new Set([...nodeNetworks, ...nodeAddresses])].filter((range) => isIPv4(range.split('/')[0] ?? ''));
}

function listed(ranges: readonly string[]): string {
  if (ranges.length === 0) return 'nowhere yet';
  const shown = ranges.slice(0, MAX_LISTED_SOURCES).join(', ');
  return ranges.length > MAX_LISTED_SOURCES ? `${shown} and ${ranges.length - MAX_LISTED_SOURCES} more` : shown;
}
