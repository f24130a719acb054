# shellcheck shell=bash
# Packages that a node's install script requests, in repositories served by the mirror.

# Tools needed on this machine, as command:package.
TOOLS="mmdebstrap:mmdebstrap systemd-nspawn:systemd-container apt-ftparchive:apt-utils gpg:gpg dpkg-deb:dpkg ip:iproute2
  gcc:gcc nsenter:util-linux losetup:mount mkfs.ext4:e2fsprogs curl:curl openssl:openssl"
# Packages that the install script gets from the distribution, and the tools for adding a repository.
# shellcheck disable=SC2034
FROM_DISTRIBUTION="ca-certificates curl gpg conntrack ethtool iptables socat nfs-common open-iscsi"
CONTAINERD=${NODETEST_CONTAINERD:-2.2.9}
CONTAINERD_GO=1.25

install_tools() {
  local pair missing=""
  for pair in $TOOLS; do command -v "${pair%%:*}" >/dev/null || missing+=" ${pair#*:}"; done
  [ -e /usr/include/stdlib.h ] || missing+=" libc6-dev"
  [ -n "$missing" ] || return 0
  [ "$(id -u)" = 0 ] || die "missing:$missing (run as root, or install them)"
  say "install$missing"
  apt-get -o Acquire::Retries=5 -q update >/dev/null
  # shellcheck disable=SC2086
  apt-get -o Acquire::Retries=5 -qy install --no-install-recommends $missing >/dev/null
}

# The kubelet for hosts: from KUBEBUILDER_ASSETS, otherwise from PATH.
kubelet_binary() {
  local kubelet=${KUBEBUILDER_ASSETS:+$KUBEBUILDER_ASSETS/kubelet}
  [ -n "$kubelet" ] || kubelet=$(command -v kubelet || true)
  [ ! -x "$kubelet" ] || echo "$kubelet"
}

build_packages() {
  local kubelet version minor
  kubelet=$(kubelet_binary)
  if [ -z "$kubelet" ]; then
    say "no kubelet in KUBEBUILDER_ASSETS or on PATH: hosts boot, and cannot become nodes"
    return 0
  fi
  version=$("$kubelet" --version)
  version=${version#Kubernetes v}
  minor=${version%.*}
  make_key
  if ! cmp -s "$kubelet" "$CACHE/kubelet-$version/usr/bin/kubelet"; then
    say "packages of Kubernetes $version"
    rm -rf "$CACHE/mirror/kubernetes/v$minor"
    kubernetes_packages "$kubelet" "$version" "$CACHE/mirror/kubernetes/v$minor/deb"
  fi
  containerd_package
}

# The signing key of all repositories here. It is used for nothing else, and is recreated with the cache.
make_key() {
  export GNUPGHOME=$CACHE/gnupg
  [ ! -e "$CACHE/mirror/key.asc" ] || return 0
  mkdir -p "$GNUPGHOME" "$CACHE/mirror" && chmod 0700 "$GNUPGHOME"
  gpg --batch --quiet --passphrase '' --quick-gen-key 'testbed of Fairway' rsa2048 sign never
  gpg --batch --armor --export >"$CACHE/mirror/key.asc.new"
  mv "$CACHE/mirror/key.asc.new" "$CACHE/mirror/key.asc"
}

# Makes a flat repository of the packages in a directory. InRelease is written last, so its existence shows that the repository is complete.
publish() {
  (cd "$1" && apt-ftparchive packages . >Packages && gzip -kf Packages && apt-ftparchive release . >/tmp/release.$$ &&
    gpg --batch --yes --clearsign -o InRelease.new /tmp/release.$$ && rm /tmp/release.$$ && mv InRelease.new InRelease)
}

# Named, versioned and laid out as on pkgs.k8s.io.
kubernetes_packages() {
  local kubelet=$1 version=$2 target=$3 work=$CACHE/work cni
  rm -rf "$work" && mkdir -p "$work" "$target"
  cp "$CACHE/mirror/key.asc" "$target/Release.key"

  rm -rf "$CACHE/kubelet-$version"
  mkdir -p "$CACHE/kubelet-$version/usr/lib/systemd/system"
  install -D "$kubelet" "$CACHE/kubelet-$version/usr/bin/kubelet"
  cat >"$CACHE/kubelet-$version/usr/lib/systemd/system/kubelet.service" <<'UNIT'
[Unit]
Description=kubelet: The Kubernetes Node Agent
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=/usr/bin/kubelet
Restart=always
StartLimitInterval=0
RestartSec=10

[Install]
WantedBy=multi-user.target
UNIT
  pack "$CACHE/kubelet-$version" kubelet "$version-1.1" "$target" 'Depends: kubernetes-cni'

  cni=$(echo "$CACHE"/pool/containernetworking-plugins_*.deb)
  dpkg-deb -x "$cni" "$work/plugins"
  mkdir -p "$work/cni/opt/cni/bin"
  cp "$work"/plugins/usr/lib/cni/* "$work/cni/opt/cni/bin/"
  pack "$work/cni" kubernetes-cni 1.7.1-1.1 "$target"

  # Nothing on a node needs crictl; Debian has none.
  mkdir -p "$work/cri-tools/usr/share/doc/cri-tools"
  echo 'Stands for the package of this name; crictl is not in it.' >"$work/cri-tools/usr/share/doc/cri-tools/README"
  pack "$work/cri-tools" cri-tools "${version%.*}.0-1.1" "$target"
  publish "$target"
  rm -rf "$work"
}

# containerd.io as Docker publishes it, built from Go's module proxy if Go is available; hosts whose image lacks containerd need it.
containerd_package() {
  local target=$CACHE/mirror/docker/debian work=$CACHE/work-containerd
  local go=$GO
  [ ! -e "$target/dists/bookworm/InRelease" ] || return 0
  [ -n "$go" ] || { say "no Go $CONTAINERD_GO or later: hosts without a containerd cannot be booted"; return 0; }
  say "containerd $CONTAINERD from its source"
  # Includes the distribution's runc, since Docker's package also includes runc.
  rm -rf "$work" "$target" && mkdir -p "$work/root/usr/bin" "$work/root/usr/lib/systemd/system"
  if ! build_containerd "$go" "$work" >"$CACHE/containerd.log" 2>&1; then
    say "containerd could not be built ($CACHE/containerd.log): hosts without one cannot be booted"
    return 0
  fi
  dpkg-deb -x "$(echo "$CACHE"/pool/runc_*.deb)" "$work/runc"
  cp "$work/runc/usr/sbin/runc" "$work/root/usr/bin/runc"
  dpkg-deb -x "$(echo "$CACHE"/pool/containerd_*.deb)" "$work/unit"
  cp "$work"/unit/lib/systemd/system/containerd.service "$work/root/usr/lib/systemd/system/"
  mkdir -p "$target/pool/stable"
  pack "$work/root" containerd.io "$CONTAINERD-1~debian.12~bookworm" "$target/pool/stable" \
    'Provides: containerd, runc' 'Conflicts: containerd, runc' 'Replaces: containerd, runc'
  publish_suite "$target"
  rm -rf "$work"
}

# The first of the given Go installations that can build it.
find_go() {
  local go version
  for go in "$@"; do
    version=$("$go" env GOVERSION 2>/dev/null) || continue
    [ "$(printf '%s\n' "go$CONTAINERD_GO" "${version%% *}" | sort -V | head -1)" != "go$CONTAINERD_GO" ] || { echo "$go"; return; }
  done
}

build_containerd() {
  local go=$1 work=$2 source
  export GOFLAGS=-mod=mod GOTOOLCHAIN=local CGO_ENABLED=0
  source=$(cd "$work" && "$go" mod download -json "github.com/containerd/containerd/v2@v$CONTAINERD" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  cp -r "$source" "$work/src" && chmod -R u+w "$work/src"
  (cd "$work/src" && nice "$go" build -p 2 -trimpath -tags no_btrfs,no_zfs,no_devmapper \
    -ldflags "-s -w -X github.com/containerd/containerd/v2/version.Version=v$CONTAINERD" \
    -o "$work/root/usr/bin/" ./cmd/containerd ./cmd/containerd-shim-runc-v2 ./cmd/ctr)
}

# Makes a repository with a suite and a component, like Docker's.
publish_suite() {
  local root=$1 suite=$1/dists/bookworm
  mkdir -p "$suite/stable/binary-amd64"
  cp "$CACHE/mirror/key.asc" "$root/gpg"
  (cd "$root" && apt-ftparchive packages pool/stable >"$suite/stable/binary-amd64/Packages")
  gzip -kf "$suite/stable/binary-amd64/Packages"
  (cd "$suite" && apt-ftparchive -o APT::FTPArchive::Release::Suite=bookworm -o APT::FTPArchive::Release::Codename=bookworm \
    -o APT::FTPArchive::Release::Components=stable -o APT::FTPArchive::Release::Architectures=amd64 release . >Release.new &&
    gpg --batch --yes --clearsign -o InRelease.new Release.new && rm Release.new && mv InRelease.new InRelease)
}

# pack ROOT NAME VERSION TARGET [FIELD...]
pack() {
  local root=$1 name=$2 version=$3 target=$4
  shift 4
  mkdir -p "$root/DEBIAN"
  {
    printf 'Package: %s\nVersion: %s\nArchitecture: amd64\nMaintainer: testbed\nDescription: %s, for tests\n' "$name" "$version" "$name"
    [ $# -eq 0 ] || printf '%s\n' "$@"
  } >"$root/DEBIAN/control"
  dpkg-deb --root-owner-group -Zgzip -z1 -b "$root" "$target/${name}_${version}_amd64.deb" >/dev/null
  rm -rf "$root/DEBIAN"
}
