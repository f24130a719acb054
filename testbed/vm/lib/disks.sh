# shellcheck shell=bash
# Volumes of a cloud: each is a file that its machine sees as a virtio disk. A machine's disks directory lists its volumes.

DISKS=$CACHE/disks

# attach_disk NAME VOLUME GIB DEVICE: safe to repeat; grows the disk if the volume has grown. The guest's kernel chooses the name, as with Nova.
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

# detach_disk NAME VOLUME: the guest releases the disk first.
detach_disk() {
  local name=${1:?NAME} volume=${2:?VOLUME}
  if is_machine_running "$name"; then
    monitor "$name" "{\"execute\":\"device_del\",\"arguments\":{\"id\":\"$(node_of "$volume")-disk\"}}"
    await "the end of a disk of $name" 120 monitor "$name" "{\"execute\":\"blockdev-del\",\"arguments\":{\"node-name\":\"$(node_of "$volume")\"}}" 2>/dev/null ||
      die "detach: $name holds $volume"
  fi
  rm -f "$HOSTS/$name/disks/$volume"
}

# qemu's name for a volume; qemu allows 31 characters.
node_of() { echo "v${1:0:20}"; }

disk_backend() { echo "{\"driver\":\"raw\",\"node-name\":\"$(node_of "$1")\",\"file\":{\"driver\":\"file\",\"filename\":\"$DISKS/$1\"}}"; }

# Guests find a volume by its serial number, which a virtio disk truncates to 20 characters.
disk_device() { echo "{\"driver\":\"virtio-blk-pci\",\"id\":\"$(node_of "$1")-disk\",\"drive\":\"$(node_of "$1")\",\"serial\":\"${1:0:20}\"}"; }

# Prints one option per line, for a machine that starts with the disk.
disk_options() { printf '%s\n' -blockdev "$(disk_backend "$1")" -device "$(disk_device "$1")"; }

# Deletes the files of deleted volumes.
forget_disks() {
  local volume
  for volume in "$@"; do rm -f "$DISKS/$volume"; done
}

# Prints SERVER VOLUME GIB for each attached volume.
list_disks() {
  local disk folder
  for disk in "$HOSTS"/*/disks/*; do
    [ -e "$disk" ] || continue
    folder=${disk%/disks/*}
    [ ! -e "$folder/server" ] || echo "$(cat "$folder/server") $(basename "$disk") $(cat "$disk")"
  done
}

# Prints the volumes that have a file.
list_volumes() { ls "$DISKS" 2>/dev/null || true; }

disks_down() { rm -rf "$DISKS"; }
