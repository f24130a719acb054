# shellcheck shell=bash
# qemu: a machine's virtual hardware, and its accelerator.

# KVM may exist but be unable to start guests: on some machines it runs only kernels built for it.
accelerator() {
  local known=$RUN/accelerator boot
  boot=$(cat /proc/sys/kernel/random/boot_id)
  if [ "$(cut -d' ' -f1 "$known" 2>/dev/null)" != "$boot" ]; then
    mkdir -p "$RUN"
    if [ -w /dev/kvm ] && starts_with_kvm; then echo "$boot kvm" >"$known"; else echo "$boot tcg" >"$known"; fi
  fi
  cut -d' ' -f2 "$known"
}

# Whether a guest's kernel prints anything within 20 s.
starts_with_kvm() {
  timeout 20 qemu-system-x86_64 -machine pc -accel kvm -cpu host -m 256 -nodefaults -display none -no-reboot -serial stdio \
    -kernel "$CACHE/disk-images/debian-12/vmlinuz" -append 'console=ttyS0 panic=-1' </dev/null 2>/dev/null | grep -q 'Linux version'
}

# Emulation is slow on a busy machine, so this timeout is only for machines that hang.
PATIENCE=3600

# start_machine NAME: starts it as described in its directory. cloud-init recognizes OpenStack by Nova's product name.
start_machine() {
  local name=$1 host=$HOSTS/$1 image vcpus memory mac uuid disk options=() kernel="root=/dev/vda ro console=ttyS0 net.ifnames=0 biosdevname=0"
  read -r image vcpus memory mac uuid <"$host/hardware"
  if [ "$(accelerator)" = kvm ]; then
    options+=(-accel kvm -cpu host)
  else
    # Without AVX, which qemu 7.2 does not emulate correctly, and without mitigations, which cost time and protect nobody here.
    options+=(-accel "tcg,thread=multi,tb-size=256" -cpu Westmere)
    kernel+=" mitigations=off tsc=reliable"
  fi
  for disk in "$host"/disks/*; do [ ! -e "$disk" ] || mapfile -t -O "${#options[@]}" options < <(disk_options "$(basename "$disk")"); done
  rm -f "$host/monitor"
  launch "$host/pid" "$host/said" qemu-system-x86_64 -name "$name" -machine pc "${options[@]}" -smp "$vcpus" -m "$memory" -nodefaults -display none \
    -uuid "$uuid" -smbios "type=1,manufacturer=OpenStack Foundation,product=OpenStack Nova" \
    -kernel "$CACHE/disk-images/$image/vmlinuz" -initrd "$CACHE/disk-images/$image/initrd" \
    -append "$kernel" \
    -drive "file=$host/disk.qcow2,format=qcow2,if=none,id=root,cache=unsafe" -device virtio-blk-pci,drive=root \
    -drive "file=$host/config.iso,format=raw,if=none,id=config,readonly=on" -device virtio-scsi-pci -device scsi-cd,drive=config \
    -netdev "tap,id=net,ifname=$(link_of "$name"),script=no,downscript=no" -device "virtio-net-pci,netdev=net,mac=$mac,romfile=" \
    -object rng-random,id=random,filename=/dev/urandom -device virtio-rng-pci,rng=random \
    -chardev "file,id=console,path=$host/console,append=on" -serial chardev:console \
    -qmp "unix:$host/monitor,server=on,wait=off"
  await "the start of $name" 20 test -S "$host/monitor" || { tail -5 "$host/said" >&2; die "$name does not start"; }
}

is_machine_running() { is_alive "$HOSTS/$1/pid"; }

# monitor NAME COMMAND...: sends QMP commands in JSON.
monitor() {
  local name=$1
  shift
  "$NODE" "$OWN/monitor.ts" "$HOSTS/$name/monitor" "$@"
}

# plug_tap NAME GATEWAY/PREFIX: creates the machine's tap interface.
plug_tap() {
  local link
  link=$(link_of "$1")
  ip link show "$BRIDGE" >/dev/null 2>&1 || die "there is no bridge: run testbed up first"
  ip address replace "$2" dev "$BRIDGE"
  unplug "$1"
  ip tuntap add "$link" mode tap
  ip link set "$link" master "$BRIDGE" up
}

# Removes taps of machines that were killed during startup or shutdown.
taps_down() {
  local link
  for link in $(ip -o link | grep -oE "\b$LINK[0-9a-f]{10}" | sort -u); do ip link delete "$link"; done
}
