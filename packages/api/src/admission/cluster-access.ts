import type { Cluster } from '../kinds/cluster.ts';

/** If Fairway doesn't know the router, it doesn't know the nodes' source address either. */
export function accessWarnings({ spec }: Cluster): string[] {
  const { mode } = spec.network.gateway;
  if ((spec.apiServer.allowedCIDRs ?? []).length === 0 || mode === 'Router') return [];
  return [
    `spec.apiServer.allowedCIDRs: with spec.network.gateway.mode ${mode} Fairway does not know from which address the nodes reach the API server; if that address is translated, add it to the list, or the nodes lose access`,
  ];
}
