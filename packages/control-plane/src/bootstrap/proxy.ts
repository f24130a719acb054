import { CLUSTER_DOMAIN } from './kubelet.ts';
import type { NodeConfig } from './node-config.ts';
import type { ProxySettings } from './node-settings.ts';

/** The cloud's metadata service. */
const METADATA_ADDRESS = '169.254.169.254';

/**
 * The proxy settings of the operator or cluster, with the cluster's own ranges added to no_proxy: operators cannot list
 * the ranges of every cluster.
 */
export function nodeProxy(config: NodeConfig): ProxySettings | undefined {
  const { proxy, server, podCIDR, serviceCIDR, nodesCIDR } = config;
  if (proxy === undefined) return undefined;
  const host = new URL(server).hostname.replace(/^\[(.*)\]$/, '$1');
  const ranges = [podCIDR, serviceCIDR, ...(nodesCIDR === undefined ? [] : [nodesCIDR])];
  const names = ['.svc', `.${CLUSTER_DOMAIN}`];
  const own = ['localhost', '127.0.0.1', '::1', METADATA_ADDRESS, host, ...ranges, ...names];
  return { ...proxy, noProxy: [...new Set([...proxy.noProxy, ...own])] };
}

/** The environment variables from which programs read proxy settings. */
export function proxyVariables({ httpProxy, httpsProxy, noProxy }: ProxySettings): Readonly<Record<string, string>> {
  return {
    ...(httpProxy !== undefined && { HTTP_PROXY: httpProxy }),
    ...(httpsProxy !== undefined && { HTTPS_PROXY: httpsProxy }),
    NO_PROXY: noProxy.join(','),
  };
}

/** A systemd drop-in that sets a service's proxy variables; systemd interprets `%` as the start of a specifier. */
export function proxyDropIn(proxy: ProxySettings): string {
  const lines = Object.entries(proxyVariables(proxy)).map(
    ([name, value]) => `Environment="${name}=${value.replaceAll('%', '%%')}"`,
  );
  return `${['[Service]', ...lines].join('\n')}\n`;
}

/** cloud-init's `apt` section: once a proxy is set, apt uses it for every host that is not exempted by name. */
export function aptProxy({ httpProxy, httpsProxy, noProxy }: ProxySettings): object {
  const hosts = noProxy.filter((entry) => /^[a-z0-9][a-z0-9.:-]*$/i.test(entry));
  const direct = hosts.flatMap((host) =>
    ['http', 'https'].map((scheme) => `Acquire::${scheme}::Proxy::${host} "DIRECT";\n`),
  );
  return {
    ...(httpProxy !== undefined && { http_proxy: httpProxy }),
    ...(httpsProxy !== undefined && { https_proxy: httpsProxy }),
    conf: direct.join(''),
  };
}
