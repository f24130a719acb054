import { minorOf } from '@fairway/api/domain/version-numbers';
import { type NodeConfig, NodePath } from './node-config.ts';
import { proxyVariables } from './proxy.ts';

const KUBERNETES_PACKAGES = 'https://pkgs.k8s.io/core:/stable:';
const CONTAINERD_PACKAGES = 'https://download.docker.com/linux';

/**
 * The script that turns a server with Ubuntu 22.04, 24.04 or Debian 12 into a node. It is idempotent, can resume after
 * a failure, and keeps what the image provides: a containerd compatible with this kubelet, or a kubelet of exactly this
 * version.
 */
export function installScript({ version, components, packageSources = {}, proxy }: NodeConfig): string {
  const kubernetes = `${packageSources.kubernetes ?? KUBERNETES_PACKAGES}/v${minorOf(version)}/deb`;
  const containerd = packageSources.containerd ?? CONTAINERD_PACKAGES;
  const versionPattern = supportsContainerd1(version) ? '2\\.|1\\.[67]\\.' : '2\\.';
  const exports = Object.entries(proxy ? proxyVariables(proxy) : {}).map(
    // curl reads the proxy for plain HTTP only from the lower-case variable.
    ([name, value]) => `export ${name.toLowerCase()}=${shellQuote(value)}`,
  );
  return `#!/bin/bash
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
${exports.join('\n')}
. /etc/os-release

retry() {
  local attempt
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    "$@" && return 0
    sleep $((attempt * 3))
  done
  echo "gave up: $*" >&2
  return 1
}

# Images install updates of their own at their first boot; whoever comes second waits.
install_packages() {
  retry apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold install --no-install-recommends "$@"
}

add_repository() { # name, url, suite, components, key url
  local keyring=/etc/apt/keyrings/$1.gpg
  install -d -m 0755 /etc/apt/keyrings
  retry curl -fsSL --connect-timeout 10 -o "/tmp/$1.key" "$5"
  gpg --batch --yes --dearmor -o "$keyring" "/tmp/$1.key"
  chmod 0644 "$keyring"
  echo "deb [signed-by=$keyring arch=$(dpkg --print-architecture)] $2 $3 $4" > "/etc/apt/sources.list.d/$1.list"
}

# A machine that lost its power while packages were installed resumes where it was.
retry dpkg --configure -a

swapoff -a
sed -i -E 's|^([^#].*[[:space:]]swap[[:space:]].*)$|#\\1|' /etc/fstab
modprobe -a -b overlay br_netfilter || true
sysctl --quiet --load=${NodePath.sysctls}

# Without systemd-resolved's stub, which a pod cannot reach.
if [ -e /run/systemd/resolve/resolv.conf ]; then
  ln -sfn /run/systemd/resolve/resolv.conf ${NodePath.resolvConf}
else
  ln -sfn /etc/resolv.conf ${NodePath.resolvConf}
fi

install_containerd=yes
containerd --version 2>/dev/null | grep -qE ' v?(${versionPattern})' && install_containerd=
install_kubelet=yes
kubelet --version 2>/dev/null | grep -qxF 'Kubernetes v${version}' && install_kubelet=

if [ -n "$install_containerd$install_kubelet" ]; then
  retry apt-get -q update
  install_packages ca-certificates curl gpg
fi
if [ -n "$install_containerd" ]; then
  add_repository containerd ${shellQuote(containerd)}"/$ID" "$VERSION_CODENAME" stable ${shellQuote(containerd)}"/$ID/gpg"
fi
if [ -n "$install_kubelet" ]; then
  add_repository kubernetes ${shellQuote(`${kubernetes}/`)} / '' ${shellQuote(`${kubernetes}/Release.key`)}
fi
if [ -n "$install_containerd$install_kubelet" ]; then
  retry apt-get -q update
fi
if [ -n "$install_containerd" ]; then
  install_packages ${shellQuote(`containerd.io=${minorOf(components.containerd)}.*`)}
fi
if [ -n "$install_kubelet" ]; then
  apt-mark unhold kubelet || true
  install_packages --allow-downgrades ${shellQuote(`kubelet=${version}-*`)} cri-tools kubernetes-cni conntrack ethtool iptables socat nfs-common open-iscsi
fi
for package in kubelet containerd.io containerd; do
  if dpkg-query -W -f '\${Status}' "$package" 2>/dev/null | grep -q ' installed$'; then apt-mark hold "$package"; fi
done

systemctl daemon-reload
systemctl enable containerd kubelet
systemctl restart containerd kubelet
install -D /dev/null ${NodePath.installed}
`;
}

/**
 * Runs the script at every boot until it has succeeded once: cloud-init runs commands only on the first boot, whether
 * or not they succeed, and a mirror may be unavailable for longer than any retry loop.
 */
export function installUnit(): string {
  return `[Unit]
Description=Make this server a node of its Kubernetes cluster
Wants=network-online.target
After=network-online.target
ConditionPathExists=!${NodePath.installed}

[Service]
Type=oneshot
RemainAfterExit=yes
Environment=HOME=/root
ExecStart=${NodePath.installScript}
Restart=on-failure
RestartSec=15
StandardOutput=journal+console
StandardError=inherit
`;
}

/**
 * Through 1.36, kubelet uses the cgroup driver from its own configuration if containerd 1.x cannot report it
 * (KubeletCgroupDriverFromCRI).
 */
function supportsContainerd1(version: string): boolean {
  return Number(minorOf(version).split('.')[1]) <= 36;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
