import { type NodeConfig, NodePath } from './node-config.ts';

/** The plugin's name in version 2 of the configuration. */
const CRI = 'plugins."io.containerd.grpc.v1.cri"';

/**
 * `config.toml`: what must differ from the defaults. Version 2 is what 1.6 and 1.7 read, and what 2.x turns into its
 * version 3 by itself, so that one file fits whichever an image brings.
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

/** `hosts.toml` of a registry that is pulled from mirrors first, and from itself when they do not have it. */
export function registryHosts(registry: string, mirrors: readonly string[]): string {
  const upstream = registry === 'docker.io' ? 'registry-1.docker.io' : registry;
  const lines = [`server = "https://${upstream}"`];
  for (const mirror of mirrors) lines.push('', `[host."${mirror}"]`, '  capabilities = ["pull", "resolve"]');
  return `${lines.join('\n')}\n`;
}
