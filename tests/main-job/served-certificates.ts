import type { FairwayOnCloud } from './fairway-on-cloud.ts';

/**
 * The references of the certificates that a project's load balancers use, and of the certificates that Barbican stores.
 */
export async function certificatesOf({ loadBalancing, keyManager }: FairwayOnCloud['member']): Promise<{
  readonly served: readonly string[];
  readonly stored: readonly string[];
}> {
  const listeners = await Array.fromAsync(loadBalancing.listeners.list());
  const served = listeners.flatMap(({ default_tls_container_ref: ref, sni_container_refs: sni }) => [
    ref,
    ...(sni ?? []),
  ]);
  const stored = await Array.fromAsync(keyManager.secrets());
  return {
    served: served.filter((ref) => ref != null).sort(),
    stored: stored.map(({ secret_ref: ref }) => ref).sort(),
  };
}
