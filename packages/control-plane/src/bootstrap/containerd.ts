import type { ProxySettings } from './node-config.ts';
import { type NodeConfig, NodePath } from './node-config.ts';

/** `config.toml` of containerd 2.x (version 3): what must differ from its defaults. */
export function containerdConfig({ components }: Pick<NodeConfig, 'components'>): string {
  return [
    'version = 3',
    '',
    "[plugins.'io.containerd.cri.v1.images'.pinned_images]",
    `  sandbox = 'registry.k8s.io/pause:${components.pause}'`,
    '',
    "[plugins.'io.containerd.cri.v1.images'.registry]",
    `  config_path = '${NodePath.registryHosts}'`,
    '',
    "[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]",
    "  runtime_type = 'io.containerd.runc.v2'",
    '',
    "[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]",
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

/** A systemd drop-in that gives a service the way through a proxy. */
export function proxyDropIn({ httpProxy, httpsProxy, noProxy }: ProxySettings): string {
  const variables = { HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy.join(',') };
  const lines = Object.entries(variables).flatMap(([name, value]) => (value ? [`Environment="${name}=${value}"`] : []));
  return `${['[Service]', ...lines].join('\n')}\n`;
}
