# shellcheck shell=bash
# Root file systems: Debian 12, as in its official cloud images as far as nodes are concerned.

# netplan, systemd-networkd and systemd-resolved configure the network in Debian's and Ubuntu's cloud images.
CLOUD_IMAGE="systemd,systemd-sysv,systemd-resolved,dbus,udev,cloud-init,netplan.io,openssh-server,sudo,iproute2,iputils-ping,kmod,procps,ca-certificates,curl"
# Two images: a plain one, and one with the distribution's own containerd.
IMAGES="debian-12 debian-12-containerd"
OWN_CONTAINERD="containerd runc containernetworking-plugins"

build_roots() {
  local image
  [ -e "$CACHE/roots/debian-12/.whole" ] || build_root
  [ -e "$CACHE/mirror/debian/InRelease" ] || publish_pool
  [ -e "$CACHE/roots/debian-12-containerd/.whole" ] || build_root_with_containerd
  for image in $IMAGES; do refresh_root "$CACHE/roots/$image"; done
}

build_root() {
  local root=$CACHE/roots/debian-12
  say "root file system of debian-12"
  rm -rf "$root" && mkdir -p "$CACHE/roots" "$CACHE/pool"
  # Uses the mirror in the machine's own sources, and also downloads the packages that hosts install later.
  sources_of_machine >"$CACHE/sources.list"
  mmdebstrap --quiet --variant=minbase --include="$CLOUD_IMAGE" \
    --customize-hook="rm -f \"\$1\"/var/cache/apt/archives/*.deb" \
    --customize-hook="APT_CONFIG=\$MMDEBSTRAP_APT_CONFIG apt-get -o Acquire::Retries=5 -qy --no-install-recommends --download-only install $FROM_DISTRIBUTION $OWN_CONTAINERD" \
    --customize-hook="cd '$CACHE/pool' && APT_CONFIG=\$MMDEBSTRAP_APT_CONFIG apt-get -o Acquire::Retries=5 -qy -o APT::Sandbox::User=root download $OWN_CONTAINERD busybox-static" \
    --customize-hook="mv \"\$1\"/var/cache/apt/archives/*.deb '$CACHE/pool/'" \
    bookworm "$root" "$CACHE/sources.list" >"$CACHE/mmdebstrap.log" 2>&1 || { tail -20 "$CACHE/mmdebstrap.log" >&2; die "mmdebstrap"; }
  rm -f "$CACHE/mirror/debian/InRelease"
  touch "$root/.whole"
}

publish_pool() {
  make_key
  mkdir -p "$CACHE/mirror/debian"
  cp "$CACHE"/pool/*.deb "$CACHE/mirror/debian/"
  publish "$CACHE/mirror/debian"
}

build_root_with_containerd() {
  local root=$CACHE/roots/debian-12-containerd pool=tmp/pool
  local own=(-o Dir::Etc::sourcelist="/$pool/sources.list" -o Dir::Etc::sourceparts=- -o APT::Sandbox::User=root)
  say "root file system of debian-12-containerd"
  rm -rf "$root" && cp -a --reflink=auto "$CACHE/roots/debian-12" "$root" && rm -f "$root/.whole" "$root/.finished"
  cp -r "$CACHE/mirror/debian" "$root/$pool"
  echo "deb [trusted=yes] file:/$pool ./" >"$root/$pool/sources.list"
  # No service starts, because a chroot has no systemd.
  {
    chroot "$root" apt-get -o Acquire::Retries=5 -q "${own[@]}" update
    # shellcheck disable=SC2086
    chroot "$root" apt-get -o Acquire::Retries=5 -qy "${own[@]}" install --no-install-recommends $OWN_CONTAINERD
  } >"$CACHE/containerd-root.log" 2>&1 || { tail -20 "$CACHE/containerd-root.log" >&2; die "containerd of the distribution"; }
  rm -rf "${root:?}/$pool" "$root"/var/lib/apt/lists/*
  touch "$root/.whole"
}

sources_of_machine() {
  local mirror
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.* 2>/dev/null | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -1 | tr -d " " || true)
  mirror=${mirror:-http://deb.debian.org/debian}
  echo "deb $mirror bookworm main"
  echo "deb $mirror bookworm-updates main"
  echo "deb ${mirror%/}-security bookworm-security main"
}

# Updates this directory's files in a root without recreating Debian's part; refuses while hosts use the root.
refresh_root() {
  local root=$1 wanted
  make_key
  wanted=$(cat "$HERE/lib/roots.sh" "$HERE"/machine/* "$CACHE/mirror/key.asc" <(echo "$MIRROR") | sha256sum)
  [ "$(cat "$root/.finished" 2>/dev/null)" != "$wanted" ] || return 0
  [ -z "$(ls "$HOSTS" 2>/dev/null)" ] || die "hosts run on what has changed since: run testbed down first"
  finish_root "$root"
  echo "$wanted" >"$root/.finished"
}

# All differences from a virtual machine are handled here, not in the user data.
finish_root() {
  local root=$1
  # Official images have this entry; without it, programs in the host's network would query a name server.
  grep -qsw localhost "$root/etc/hosts" || printf '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n' >"$root/etc/hosts"
  : >"$root/etc/machine-id"
  rm -f "$root/etc/apt/sources.list" "$root"/etc/apt/sources.list.d/* "$root"/etc/ssh/ssh_host_* "$root/etc/hostname"
  install -D -m 0644 "$CACHE/mirror/key.asc" "$root/usr/share/keyrings/testbed.asc"
  echo "deb [signed-by=/usr/share/keyrings/testbed.asc] $MIRROR/debian ./" >"$root/etc/apt/sources.list.d/testbed.list"
  # Otherwise dpkg waits for the disk after every file.
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/testbed"
  install -D -m 0755 -t "$root/usr/lib/testbed" "$HERE/machine/prepare" "$HERE/machine/disks"
  install -D -m 0644 "$HERE/machine/testbed-machine.service" "$root/etc/systemd/system/testbed-machine.service"
  mkdir -p "$root/etc/systemd/system/sysinit.target.wants"
  ln -sf ../testbed-machine.service "$root/etc/systemd/system/sysinit.target.wants/testbed-machine.service"
  # Only this mirror exists; cloud-init would configure Debian's default mirror.
  printf 'datasource_list: [NoCloud]\nlocale: C.UTF-8\napt: {preserve_sources_list: true}\n' \
    >"$root/etc/cloud/cloud.cfg.d/99-testbed.cfg"
  # Nodes don't need these units, which wait for minutes in a namespace without Internet access.
  local unit
  for unit in apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer systemd-timesyncd.service; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
  done
}
