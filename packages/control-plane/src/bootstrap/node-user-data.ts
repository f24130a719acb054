import { gzipSync } from 'node:zlib';
import { certificatesOf } from '@fairway/api/domain/authority-problem';
import type { RegistryMirrors } from '@fairway/api/kinds/cluster-nodes';
import { dump } from 'js-yaml';
import { additionalInterfaceCommands, additionalInterfaceFiles } from './additional-interfaces.ts';
import { authorityPath, containerdConfig, registryHosts } from './containerd.ts';
import { installScript, installUnit } from './install-script.ts';
import { bootstrapKubeconfig, kubeletConfiguration, kubeletDropIn, kubeletFlags } from './kubelet.ts';
import { CONTAINERD_SOCKET, INSTALL_UNIT, type NodeConfig, NodePath } from './node-config.ts';
import { aptProxy, nodeProxy, proxyDropIn } from './proxy.ts';

/** Nova's limit, counted after base64 (`MAX_USERDATA_SIZE`). */
export const MAX_USER_DATA_BASE64 = 65_535;

/** Thrown if a node's configuration does not fit into user data, even compressed. */
export class UserDataTooLargeError extends Error {
  override readonly name = 'UserDataTooLargeError';
}

interface CloudConfigFile {
  readonly path: string;
  readonly content: string;
  readonly permissions?: string;
}

/** Files with secrets are readable only by root. */
const PRIVATE = '0600';
const EXECUTABLE = '0755';

/**
 * User data in base64, as in Nova's `user_data`: a cloud-config that makes the server a node of its cluster. It is
 * compressed only if it would not fit otherwise; cloud-init detects gzip itself.
 */
export function nodeUserData(config: NodeConfig): string {
  const text = nodeCloudConfig(config);
  const plain = Buffer.from(text, 'utf8').toString('base64');
  if (plain.length <= MAX_USER_DATA_BASE64) return plain;
  const compressed = gzipSync(text, { level: 9 }).toString('base64');
  if (compressed.length <= MAX_USER_DATA_BASE64) return compressed;
  throw new UserDataTooLargeError(
    `user data of ${config.nodeName} has ${compressed.length} bytes compressed; Nova's limit is ${MAX_USER_DATA_BASE64}: shorten labels, mirrors or extra certificate authorities`,
  );
}

/** The cloud-config as YAML text. */
export function nodeCloudConfig(settings: NodeConfig): string {
  const proxied = nodeProxy(settings);
  const config: NodeConfig = { ...settings, ...(proxied && { proxy: proxied }) };
  const { proxy, extraCertificateAuthorities: authorities = [] } = config;
  const document = {
    preserve_hostname: false,
    hostname: config.nodeName,
    manage_etc_hosts: 'localhost',
    ssh_pwauth: false,
    disable_root: true,
    ...(authorities.length > 0 && { ca_certs: { trusted: authorities } }),
    ...(proxy && { apt: aptProxy(proxy) }),
    write_files: nodeFiles(config).map((file) => ({ owner: 'root:root', permissions: '0644', ...file })),
    runcmd: [
      ...additionalInterfaceCommands(config.additionalInterfaces),
      ['systemctl', 'daemon-reload'],
      ['systemctl', 'start', INSTALL_UNIT],
    ],
  };
  return `#cloud-config\n${dump(document, { lineWidth: -1, noRefs: true })}`;
}

function nodeFiles(config: NodeConfig): CloudConfigFile[] {
  const { registryMirrors = [], proxy } = config;
  const services = ['containerd', 'kubelet'];
  return [
    { path: NodePath.bootstrapKubeconfig, content: bootstrapKubeconfig(config), permissions: PRIVATE },
    { path: NodePath.clusterAuthority, content: config.certificateAuthority },
    { path: NodePath.kubeletConfig, content: dump(kubeletConfiguration(config), { lineWidth: -1 }) },
    { path: NodePath.kubeletFlags, content: kubeletFlags(config) },
    { path: '/etc/systemd/system/kubelet.service.d/10-fairway.conf', content: kubeletDropIn() },
    { path: NodePath.containerdConfig, content: containerdConfig(config) },
    ...registryMirrors.flatMap(registryFiles),
    { path: '/etc/crictl.yaml', content: dump({ 'runtime-endpoint': CONTAINERD_SOCKET, timeout: 10 }) },
    { path: '/etc/modules-load.d/kubernetes.conf', content: kernelModules(config.kubeProxyMode) },
    { path: NodePath.sysctls, content: SYSCTLS },
    { path: '/etc/tmpfiles.d/kubernetes.conf', content: STALE_FILES },
    ...additionalInterfaceFiles(config.additionalInterfaces),
    ...(proxy
      ? services.map((service) => ({
          path: `/etc/systemd/system/${service}.service.d/20-proxy.conf`,
          content: proxyDropIn(proxy),
        }))
      : []),
    { path: NodePath.installScript, content: installScript(config), permissions: EXECUTABLE },
    { path: `/etc/systemd/system/${INSTALL_UNIT}`, content: installUnit() },
    // A symlink would enable the unit, but cloud-config can only write regular files.
    {
      path: '/etc/systemd/system/multi-user.target.d/10-fairway.conf',
      content: `[Unit]\nWants=${INSTALL_UNIT}\n`,
    },
  ];
}

function registryFiles({ registry, mirrors }: RegistryMirrors[number]): CloudConfigFile[] {
  const hosts = {
    path: `${NodePath.registryHosts}/${registry}/hosts.toml`,
    content: registryHosts({ registry, mirrors }),
  };
  const authorities = mirrors.flatMap(({ certificateAuthority: pem }, index) =>
    pem ? [{ path: authorityPath(registry, index), content: certificatesOf(pem) }] : [],
  );
  return [hosts, ...authorities];
}

/**
 * CNI's pod state, removed at each boot because no pod survives a reboot. CNI does not sync its files, and a power cut
 * leaves empty ones: containerd then cannot stop the sandbox, and pods never start again ("cached result: unexpected
 * end of JSON input").
 */
const STALE_FILES = `R! /var/lib/cni/results
R! /var/lib/cni/networks
`;

function kernelModules(kubeProxyMode: string): string {
  const ipvs = ['ip_vs', 'ip_vs_rr', 'ip_vs_wrr', 'ip_vs_sh', 'nf_conntrack'];
  return `${['overlay', 'br_netfilter', ...(kubeProxyMode === 'ipvs' ? ipvs : [])].join('\n')}\n`;
}

/** kubelet requires the last four with protectKernelDefaults, in addition to key limits that match Linux defaults. */
const SYSCTLS = `net.ipv4.ip_forward = 1
net.bridge.bridge-nf-call-iptables = 1
net.bridge.bridge-nf-call-ip6tables = 1
fs.inotify.max_user_instances = 8192
fs.inotify.max_user_watches = 524288
vm.overcommit_memory = 1
vm.panic_on_oom = 0
kernel.panic = 10
kernel.panic_on_oops = 1
`;
