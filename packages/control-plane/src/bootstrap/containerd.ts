import type { RegistryMirrors } from '@fairway/api/kinds/cluster-nodes';
import { type NodeConfig, NodePath } from './node-config.ts';

/** The plugin's name in version 2 of the configuration. */
const CRI = 'plugins."io.containerd.grpc.v1.cri"';

/**
 * `config.toml` with only the settings that differ from the defaults. containerd 1.6 and 1.7 read version 2, and 2.x
 * migrates it to its version 3, so one file works with any image's containerd.
 */
export function containerdConfig({
  components,
  restrictOOMScoreAdj,
}: Pick<NodeConfig, 'components' | 'restrictOOMScoreAdj'>): string {
  return [
    'version = 2',
    '',
    `[${CRI}]`,
    `  sandbox_image = "registry.k8s.io/pause:${components.pause}"`,
    ...(restrictOOMScoreAdj === undefined ? [] : [`  restrict_oom_score_adj = ${restrictOOMScoreAdj}`]),
    '',
    `[${CRI}.registry]`,
    `  config_path = "${NodePath.registryHosts}"`,
    '',
    `[${CRI}.containerd.runtimes.runc]`,
    '  runtime_type = "io.containerd.runc.v2"',
    '',
    `[${CRI}.containerd.runtimes.runc.options]`,
    '  SystemdCgroup = true',
    '',
  ].join('\n');
}

/** Path of a mirror's CA on the node. */
export function authorityPath(registry: string, index: number): string {
  return `${NodePath.registryHosts}/${registry}/mirror-${index}.crt`;
}

/** `hosts.toml` of a registry: mirrors are tried first, then the registry itself. */
export function registryHosts({ registry, mirrors }: RegistryMirrors[number]): string {
  const upstream = registry === 'docker.io' ? 'registry-1.docker.io' : registry;
  const lines = [`server = "https://${upstream}"`];
  for (const [index, { url, certificateAuthority }] of mirrors.entries()) {
    lines.push('', `[host."${url}"]`, '  capabilities = ["pull", "resolve"]');
    if (certificateAuthority) lines.push(`  ca = "${authorityPath(registry, index)}"`);
    // Otherwise containerd would append /v2 to the path again.
    if (new URL(url).pathname.startsWith('/v2/')) lines.push('  override_path = true');
  }
  return `${lines.join('\n')}\n`;
}
