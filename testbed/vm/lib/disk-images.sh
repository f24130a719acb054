# shellcheck shell=bash
# Disks that machines boot from: Debian 12 with its own kernel, as in its official cloud images as far as nodes are concerned.

# netplan, systemd-networkd and systemd-resolved configure the network in Debian's cloud images.
CLOUD_IMAGE="systemd,systemd-sysv,systemd-resolved,dbus,udev,cloud-init,netplan.io,openssh-server,sudo,iproute2,iputils-ping,kmod,procps,ca-certificates,curl,isc-dhcp-client"
KERNEL="linux-image-cloud-amd64,initramfs-tools,zstd"
# Two images: a plain one, and one with the distribution's own containerd.
IMAGES="debian-12 debian-12-containerd"
OWN_CONTAINERD="containerd runc containernetworking-plugins"
# A machine's disk is larger; cloud-init grows the file system to its size.
IMAGE_SIZE=3G

build_disk_images() {
  local image wanted
  wanted=$(cat "$OWN/lib/disk-images.sh" "$NODE_CACHE/mirror/key.asc" <(echo "$MIRROR") | sha256sum)
  [ -e "$CACHE/roots/debian-12/.whole" ] || build_root
  for image in $IMAGES; do
    [ "$(cat "$CACHE/disk-images/$image/.made-of" 2>/dev/null)" = "$wanted" ] || build_disk_image "$image" "$wanted"
  done
}

build_root() {
  local root=$CACHE/roots/debian-12
  say "root file system of debian-12"
  rm -rf "$root" && mkdir -p "$CACHE/roots"
  mmdebstrap --quiet --variant=minbase --include="$CLOUD_IMAGE,$KERNEL" bookworm "$root" "$NODE_CACHE/sources.list" \
    >"$CACHE/mmdebstrap.log" 2>&1 || { tail -20 "$CACHE/mmdebstrap.log" >&2; die "mmdebstrap"; }
  touch "$root/.whole"
}

build_disk_image() {
  local image=$1 wanted=$2 root=$CACHE/roots/work new=$CACHE/disk-images/$1.new
  [ -z "$(ls "$HOSTS" 2>/dev/null)" ] || die "machines run on what has changed since: run testbed down first"
  say "disk image $image"
  rm -rf "$root" "$new" && mkdir -p "$new"
  cp -a --reflink=auto "$CACHE/roots/debian-12" "$root"
  rm "$root/.whole"
  [ "$image" = debian-12 ] || add_own_containerd "$root"
  finish_root "$root"
  cp "$root"/boot/vmlinuz-* "$new/vmlinuz"
  cp "$root"/boot/initrd.img-* "$new/initrd"
  truncate -s "$IMAGE_SIZE" "$new/disk.raw"
  mke2fs -q -t ext4 -L root -d "$root" "$new/disk.raw"
  rm -rf "$root" "${CACHE:?}/disk-images/$image"
  echo "$wanted" >"$new/.made-of"
  mv "$new" "$CACHE/disk-images/$image"
}

# No service starts, because a chroot has no systemd.
add_own_containerd() {
  local root=$1 pool=tmp/pool
  local own=(-o Dir::Etc::sourcelist="/$pool/sources.list" -o Dir::Etc::sourceparts=- -o APT::Sandbox::User=root -q)
  cp -r "$NODE_CACHE/mirror/debian" "$root/$pool"
  echo "deb [trusted=yes] file:/$pool ./" >"$root/$pool/sources.list"
  # shellcheck disable=SC2086
  { chroot "$root" apt-get "${own[@]}" update && chroot "$root" apt-get "${own[@]}" -y install --no-install-recommends $OWN_CONTAINERD; } \
    >"$CACHE/containerd-root.log" 2>&1 || { tail -20 "$CACHE/containerd-root.log" >&2; die "containerd of the distribution"; }
  rm -rf "${root:?}/$pool" "$root"/var/lib/apt/lists/*
}

# Removes files that official images don't contain, and configures the package sources.
finish_root() {
  local root=$1 unit
  : >"$root/etc/machine-id"
  rm -f "$root/etc/apt/sources.list" "$root"/etc/apt/sources.list.d/* "$root"/etc/ssh/ssh_host_* "$root/etc/hostname"
  install -D -m 0644 "$NODE_CACHE/mirror/key.asc" "$root/usr/share/keyrings/testbed.asc"
  echo "deb [signed-by=/usr/share/keyrings/testbed.asc] $MIRROR/debian ./" >"$root/etc/apt/sources.list.d/testbed.list"
  echo '/dev/vda / ext4 rw,discard,errors=remount-ro 0 1' >"$root/etc/fstab"
  # Only this mirror exists; cloud-init would configure Debian's default mirror.
  printf 'locale: C.UTF-8\napt: {preserve_sources_list: true}\n' >"$root/etc/cloud/cloud.cfg.d/99-testbed.cfg"
  # qemu starts the image's initrd; packages would rebuild the guest's initrd, which takes a minute and is never used.
  echo 'update_initramfs=no' >"$root/etc/initramfs-tools/update-initramfs.conf"
  # Units of an emulated machine start slowly if the host is busy.
  mkdir -p "$root/etc/systemd/system.conf.d"
  printf '[Manager]\nDefaultTimeoutStartSec=20min\nDefaultDeviceTimeoutSec=20min\n' >"$root/etc/systemd/system.conf.d/testbed.conf"
  # Nodes don't need these units, which wait for minutes in a network without Internet access.
  for unit in apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer systemd-timesyncd.service; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
  done
}
