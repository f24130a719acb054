# shellcheck shell=bash
# Images for a cluster's network: kube-proxy, CoreDNS and Canal, with the names and versions in the add-on catalogue.

CALICO_TAG=v3.31.7
FLANNEL_TAG=v0.28.10
COREDNS_TAG=v1.14.2
METRICS_TAG=v0.9.0
# Programs that Felix, flannel and kube-proxy call, with their dependencies.
NETWORK_TOOLS="conntrack ipset iptables nftables libbsd0 libc6 libedit2 libgcc-s1 libgmp10 libip4tc2 libip6tc2 libipset13 libjansson4 libmd0
  libmnl0 libnetfilter-conntrack3 libnfnetlink0 libnftables1 libnftnl11 libtinfo6 libxtables12 netbase"

# kube-proxy and CoreDNS, which Services and cluster DNS need with any pod network. Prints their versions in the format of a KubernetesRelease.
services() {
  local proxy=${KUBEBUILDER_ASSETS:+$KUBEBUILDER_ASSETS/kube-proxy} version
  [ -x "$proxy" ] || proxy=$(command -v kube-proxy || true)
  [ -n "$proxy" ] || die "there is no kube-proxy in KUBEBUILDER_ASSETS or on PATH: testbed/kubernetes/current makes one"
  version=$("$proxy" --version)
  build >&2
  build_programs coredns >&2
  proxy_image "$proxy" "${version#Kubernetes }" >&2
  # Runs as root: the image lacks the file capability that lets upstream's image open port 53 as another user.
  publish_program "$PROGRAMS/coredns" coredns/coredns "$COREDNS_TAG" 0:0 >&2
  echo "coredns: ${COREDNS_TAG#v}"
}

# The same for metrics-server.
metrics() {
  build >&2
  build_programs metrics >&2
  publish_program "$PROGRAMS/metrics-server" metrics-server/metrics-server "$METRICS_TAG" >&2
  echo "metrics-server: ${METRICS_TAG#v}"
}

# A pod network, likewise.
canal() {
  build >&2
  build_programs plugins flannel calico >&2
  canal_images "$PROGRAMS" "$CALICO_BUILT" >&2
  printf 'calico: %s\nflannel: %s\n' "${CALICO_BUILT#v}" "${FLANNEL_TAG#v}"
}

# network_tools ROOT: copies the programs in NETWORK_TOOLS.
network_tools() {
  local root=$1 debs=$CACHE/network-debs deb tool
  if [ "$(cat "$debs/.tools" 2>/dev/null)" != "$NETWORK_TOOLS" ]; then
    rm -rf "$debs" && mkdir -p "$debs"
    # shellcheck disable=SC2086
    (cd "$debs" && apt-get -o Acquire::Retries=5 -qq download $NETWORK_TOOLS 2>/dev/null) || die "apt-get download: $NETWORK_TOOLS"
    echo "$NETWORK_TOOLS" >"$debs/.tools"
  fi
  mkdir -p "$root"
  for deb in "$debs"/*.deb "$(echo "$CACHE"/pool/busybox-static_*.deb)"; do dpkg-deb -x "$deb" "$root"; done
  rm -rf "$root/usr/share" && mkdir -p "$root/bin" "$root/tmp"
  for tool in "$root"/usr/sbin/* "$root"/sbin/*; do
    ln -sf "${tool#"$root"}" "$root/bin/$(basename "$tool")"
  done
  # The same links as those of update-alternatives.
  for tool in iptables iptables-save iptables-restore ip6tables ip6tables-save ip6tables-restore; do
    ln -sf /usr/sbin/xtables-nft-multi "$root/bin/$tool"
  done
  for tool in sh cat sleep; do ln -sf busybox "$root/bin/$tool"; done
}

# is_made NAME FILE...: whether the image was built from these files with this recipe; sets `mark` to their digest.
is_made() {
  local name=$1
  shift
  mark=$(cat "$HERE/lib/network-images.sh" "$@" | sha256sum | cut -d' ' -f1)
  [ "$(cat "$CACHE/images/$name" 2>/dev/null)" = "$mark" ]
}

# proxy_image FILE TAG
proxy_image() {
  local file=$1 tag=$2 work=$CACHE/work-images mark
  ! is_made "kube-proxy-$tag" "$file" || return 0
  say "image of kube-proxy $tag"
  rm -rf "$work"
  network_tools "$work/proxy"
  mkdir -p "$work/proxy/usr/local/bin"
  install -m 755 "$file" "$work/proxy/bin/kube-proxy"
  # The connection tracking table belongs to the whole machine, and hosts can't set its size, so kube-proxy reads and writes a separate file.
  cat >"$work/proxy/usr/local/bin/kube-proxy" <<'SH'
#!/bin/sh
size=/proc/sys/net/netfilter/nf_conntrack_max
cat "$size" >/tmp/nf_conntrack_max
busybox mount --bind /tmp/nf_conntrack_max "$size"
exec /bin/kube-proxy "$@"
SH
  chmod 755 "$work/proxy/usr/local/bin/kube-proxy"
  write_image "$work/proxy" kube-proxy "$tag" 'null' '["/usr/local/bin/kube-proxy"]' ''
  echo "$mark" >"$CACHE/images/kube-proxy-$tag"
  rm -rf "$work"
}

# canal_images FOLDER TAG: builds images from the programs in a directory: Calico's with this tag (calico-node, calico, install), flanneld, and the CNI plugins.
canal_images() {
  local programs=$1 tag=$2 work=$CACHE/work-images mark tool
  ! is_made "canal-$tag" "$programs"/{calico-node,calico,install,flanneld,host-local,portmap,bandwidth,loopback} || return 0
  say "images of Canal, Calico $tag"
  rm -rf "$work"
  network_tools "$work/tools"

  cp -a "$work/tools" "$work/node" && cp "$programs/calico-node" "$work/node/bin/"
  # Starts the same processes as the supervisor in the published image.
  cat >"$work/node/bin/start" <<'SH'
#!/bin/sh
calico-node -startup || exit 1
calico-node -allocate-tunnel-addrs -allocate-tunnel-addrs-run-once || exit 1
export FELIX_FELIXHOSTNAME=$NODENAME FELIX_DATASTORETYPE=$DATASTORE_TYPE
# A build without cgo lacks libbpf, and panics when it looks for BPF programs to remove.
export FELIX_DebugSkipCTLBCleanup=true
calico-node -monitor-token &
calico-node -status-reporter &
while :; do
  calico-node -felix
  sleep 1
done
SH
  chmod +x "$work/node/bin/start"
  write_image "$work/node" calico/node "$tag" 'null' '["/bin/start"]' ''

  mkdir -p "$work/cni/opt/cni/bin"
  for tool in calico install host-local portmap bandwidth loopback; do cp "$programs/$tool" "$work/cni/opt/cni/bin/"; done
  write_image "$work/cni" calico/cni "$tag" 'null' 'null' ''

  cp -a "$work/tools" "$work/flannel" && mkdir -p "$work/flannel/opt/bin" && cp "$programs/flanneld" "$work/flannel/opt/bin/"
  write_image "$work/flannel" flannel-io/flannel "$FLANNEL_TAG" 'null' 'null' ''
  echo "$mark" >"$CACHE/images/canal-$tag"
  rm -rf "$work"
}
