# shellcheck shell=bash
# Volumes of a cloud: each is a file that hosts see as a block device, through a loop device of this machine. A host's disks directory lists its volumes.

DISKS=$CACHE/disks

# attach_disk NAME VOLUME GIB DEVICE: safe to repeat; grows the disk if the volume has grown.
attach_disk() {
  local name=${1:?NAME} volume=${2:?VOLUME} gib=${3:?GIB} device=${4:?DEVICE} loop
  [[ $volume =~ ^[0-9a-f-]{36}$ && $gib =~ ^[0-9]+$ ]] || die "attach: '$volume' of $gib GiB is no volume"
  [[ $device =~ ^/dev/vd[b-z]$ ]] || die "attach: '$device' is no place for a disk"
  is_host_running "$name" || die "attach: $name does not run"
  mkdir -p "$DISKS"
  truncate -s ">${gib}G" "$DISKS/$volume"
  loop=$(loop_of "$volume" NAME)
  if [ -n "$loop" ]; then losetup --set-capacity "$loop"; else losetup --find "$DISKS/$volume"; fi
  mkdir -p "$(plugged_into "$name")"
  echo "$gib ${device#/dev/} $(loop_of "$volume" MAJ:MIN)" >"$(plugged_into "$name")/$volume"
  exec_host "$name" /usr/lib/testbed/disks
}

# detach_disk NAME VOLUME: a disk that is still mounted disappears once it is unmounted.
detach_disk() {
  local name=${1:?NAME} volume=${2:?VOLUME}
  rm -f "$(plugged_into "$name")/$volume"
  ! is_host_running "$name" || exec_host "$name" /usr/lib/testbed/disks
  release_disk "$volume"
}

# Releases the disks of a host that is switched off.
release_disks_of() {
  local disk
  for disk in "$(plugged_into "$1")"/*; do
    [ -e "$disk" ] || continue
    rm -f "$disk"
    release_disk "$(basename "$disk")"
  done
}

# Keeps a disk that another host still uses: Cinder allows several hosts per multiattach volume.
release_disk() {
  local loop
  ! ls "$HOSTS"/*/root/"$PLUGGED/$1" >/dev/null 2>&1 || return 0
  loop=$(loop_of "$1" NAME)
  [ -z "$loop" ] || losetup --detach "$loop"
}

# Deletes the files of deleted volumes.
forget_disks() {
  local volume
  for volume in "$@"; do
    release_disk "$volume"
    rm -f "$DISKS/$volume"
  done
}

# Prints SERVER VOLUME GIB for each attached volume.
list_disks() {
  local disk folder
  for disk in "$HOSTS"/*/root/"$PLUGGED"/*; do
    [ -e "$disk" ] || continue
    folder=${disk%/root/*}
    [ ! -e "$folder/server" ] || echo "$(cat "$folder/server") $(basename "$disk") $(cut -d' ' -f1 "$disk")"
  done
}

# Prints the volumes that have a file.
list_volumes() { ls "$DISKS" 2>/dev/null || true; }

loop_of() { losetup --noheadings --output "$2" --associated "$DISKS/$1" 2>/dev/null | tr -d ' ' | head -1; }

# The directory that machine/disks reads on the host.
PLUGGED=var/lib/testbed/disks
plugged_into() { echo "$HOSTS/$1/root/$PLUGGED"; }

disks_down() {
  local volume
  for volume in $(list_volumes); do forget_disks "$volume"; done
}
