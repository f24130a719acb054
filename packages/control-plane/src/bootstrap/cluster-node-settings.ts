import type { NodeProxy, RegistryMirrors } from '@fairway/api/kinds/cluster-nodes';
import type { NodeConfig } from './node-config.ts';
import type { NodeSettings } from './node-settings.ts';

/** A cluster's settings for its nodes' registries and proxy. */
export interface ClusterNodeSettings {
  readonly registryMirrors?: RegistryMirrors | undefined;
  readonly proxy?: NodeProxy | undefined;
}

/**
 * The operator's settings merged with those of a cluster: the cluster's mirrors are tried first, its proxy replaces the
 * operator's, and the operator's proxy exceptions still apply. Pure.
 */
export function withClusterSettings(
  operatorSettings: NodeSettings | undefined,
  { registryMirrors = [], proxy }: ClusterNodeSettings = {},
): Pick<NodeConfig, keyof NodeSettings> {
  const { registryMirrors: operatorMirrors = {}, proxy: operatorProxy, ...rest } = operatorSettings ?? {};
  const mirrors = new Map(registryMirrors.map(({ registry, mirrors: own }) => [registry, [...own]]));
  for (const [registry, urls] of Object.entries(operatorMirrors)) {
    mirrors.set(registry, [...(mirrors.get(registry) ?? []), ...urls.map((url) => ({ url }))]);
  }
  const noProxy = [...(proxy?.noProxy ?? []), ...(operatorProxy?.noProxy ?? [])];
  const effective = proxy ? { ...proxy, noProxy } : operatorProxy;
  return {
    ...rest,
    ...(mirrors.size > 0 && { registryMirrors: [...mirrors].map(([registry, own]) => ({ registry, mirrors: own })) }),
    ...(effective && { proxy: effective }),
  };
}
