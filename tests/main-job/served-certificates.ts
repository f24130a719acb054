import type { FairwayOnCloud } from './fairway-on-cloud.ts';

/** References of the certificates that a project's load balancers serve, and of those that Barbican stores. */
export async function certificatesOf({ loadBalancing, keyManager }: FairwayOnCloud['member']): Promise<{
  readonly served: readonly string[];
  readonly kept: readonly string[];
}> {
  const listeners = await Array.fromAsync(loadBalancing.listeners.list());
  const served = listeners.flatMap(({ default_tls_container_ref: ref, sni_container_refs: sni }) => [
    ref,
    ...(sni ?? []),
  ]);
  const kept = await Array.fromAsync(keyManager.secrets());
  return { served: served.filter((ref) => ref != null).sort(), kept: kept.map(({ secret_ref: ref }) => ref).sort() };
}
