# shellcheck shell=bash
# Volumes of a cloud: a file each, a virtio disk of the machine that has it. A machine's folder of disks says what is plugged into it.

DISKS=$CACHE/disks

# attach_disk NAME VOLUME GIB DEVICE: safe to repeat; what has grown since is larger then. The guest's kernel chooses the name, as with Nova.
attach_disk() {
  local name=${1:?NAME} volume=${2:?VOLUME} gib=${3:?GIB} plugged
  [[ $volume =~ ^[0-9a-f-]{36}$ && $gib =~ ^[0-9]+$ ]] || die "attach: '$volume' of $gib GiB is no volume"
  is_machine_running "$name" || die "attach: $name does not run"
  plugged=$HOSTS/$name/disks/$volume
  mkdir -p "$DISKS" "$HOSTS/$name/disks"
  truncate -s ">${gib}G" "$DISKS/$volume"
  if [ -e "$plugged" ]; then
    monitor "$name" "{\"execute\":\"block_resize\",\"arguments\":{\"node-name\":\"$(node_of "$volume")\",\"size\":$((gib << 30))}}"
  else
    monitor "$name" "{\"execute\":\"blockdev-add\",\"arguments\":$(disk_backend "$volume")}" \
      "{\"execute\":\"device_add\",\"arguments\":$(disk_device "$volume")}"
  fi
  echo "$gib" >"$plugged"
}

# detach_disk NAME VOLUME: the guest lets go of it first.
detach_disk() {
  local name=${1:?NAME} volume=${2:?VOLUME}
  if is_machine_running "$name"; then
    monitor "$name" "{\"execute\":\"device_del\",\"arguments\":{\"id\":\"$(node_of "$volume")-disk\"}}"
    await "the end of a disk of $name" 120 monitor "$name" "{\"execute\":\"blockdev-del\",\"arguments\":{\"node-name\":\"$(node_of "$volume")\"}}" 2>/dev/null ||
      die "detach: $name holds $volume"
  fi
  rm -f "$HOSTS/$name/disks/$volume"
}

# What qemu calls a volume, in the 31 characters that it takes.
node_of() { echo "v${1:0:20}"; }

disk_backend() { echo "{\"driver\":\"raw\",\"node-name\":\"$(node_of "$1")\",\"file\":{\"driver\":\"file\",\"filename\":\"$DISKS/$1\"}}"; }

# The serial number is what guests find a volume by; a virtio disk keeps 20 characters of it.
disk_device() { echo "{\"driver\":\"virtio-blk-pci\",\"id\":\"$(node_of "$1")-disk\",\"drive\":\"$(node_of "$1")\",\"serial\":\"${1:0:20}\"}"; }

# An option a line, for a machine that starts with it.
disk_options() { printf '%s\n' -blockdev "$(disk_backend "$1")" -device "$(disk_device "$1")"; }

# Of volumes that are deleted.
forget_disks() {
  local volume
  for volume in "$@"; do rm -f "$DISKS/$volume"; done
}

# SERVER VOLUME GIB of what is plugged in.
list_disks() {
  local disk folder
  for disk in "$HOSTS"/*/disks/*; do
    [ -e "$disk" ] || continue
    folder=${disk%/disks/*}
    [ ! -e "$folder/server" ] || echo "$(cat "$folder/server") $(basename "$disk") $(cat "$disk")"
  done
}

# Volumes that have a file.
list_volumes() { ls "$DISKS" 2>/dev/null || true; }

disks_down() { rm -rf "$DISKS"; }
