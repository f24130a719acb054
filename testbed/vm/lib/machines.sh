# shellcheck shell=bash
# A machine: a disk over an image, a config drive, a tap, and a qemu process.

# The SSH key that may log in, provided like a key pair in Nova.
SSH_KEY=$CACHE/ssh/key
make_ssh_key() {
  [ ! -e "$SSH_KEY" ] || return 0
  mkdir -p -m 0700 "$(dirname "$SSH_KEY")"
  ssh-keygen -q -t ed25519 -N '' -C testbed -f "$SSH_KEY"
}

boot_machine() {
  local name address gateway mac user_data image server zone vcpus memory disk uuid
  read_boot_options machine "$@"
  [ -e "$CACHE/disk-images/$image/.made-of" ] || die "boot: there is no image $image; there are: $IMAGES"
  ! is_machine_running "$name" || return 0
  end_machine "$name"

  local host=$HOSTS/$name
  mkdir -p "$host"
  echo "$address" >"$host/address"
  uuid=${server:-$(cat /proc/sys/kernel/random/uuid)}
  echo "$image $vcpus $memory $mac $uuid" >"$host/hardware"
  [ -z "$server" ] || echo "$server" >"$host/server"
  [ -z "$zone" ] || echo "$zone" >"$host/zone"
  qemu-img create -q -f qcow2 -b "$CACHE/disk-images/$image/disk.raw" -F raw "$host/disk.qcow2" "${disk}G"
  write_config_drive "$host" "$name" "$mac" "$address" "$gateway" "$user_data" "$uuid" "${zone:-nova}"
  plug_tap "$name" "$gateway/${address#*/}"
  ip -n "$NETNS-$METADATA" address replace "$(last_of "$address")/${address#*/}" dev eth0
  start_machine "$name"
}

# The contents of Nova's disk config-2. The route to the metadata service and the name server, which resolves no names, normally come from Neutron's DHCP agent.
write_config_drive() {
  local host=$1 name=$2 mac=$3 address=$4 gateway=$5 user_data=$6 uuid=$7 zone=$8 folder=$1/config/openstack/latest
  mkdir -p "$folder"
  cp "$user_data" "$folder/user_data"
  cat >"$folder/meta_data.json" <<JSON
{"uuid": "$uuid", "name": "$name", "hostname": "$name", "availability_zone": "$zone", "launch_index": 0,
 "public_keys": {"testbed": "$(cat "$SSH_KEY.pub")"}}
JSON
  cat >"$folder/network_data.json" <<JSON
{"links": [{"id": "port", "type": "phy", "ethernet_mac_address": "$mac", "mtu": 1500}], "services": [{"type": "dns", "address": "$(last_of "$address")"}],
 "networks": [{"id": "network0", "type": "ipv4", "link": "port", "ip_address": "${address%/*}", "netmask": "$(netmask_of "${address#*/}")",
  "routes": [{"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": "$gateway"},
   {"network": "169.254.169.254", "netmask": "255.255.255.255", "gateway": "$(last_of "$address")"}]}]}
JSON
  genisoimage -quiet -output "$host/config.iso" -volid config-2 -joliet -rock "$host/config"
  rm -rf "$host/config"
}

# netmask_of PREFIX
netmask_of() { dotted $((0xffffffff << (32 - $1) & 0xffffffff)); }

# last_of ADDRESS/PREFIX: the last address in a subnet that a machine can use, where its metadata service responds.
last_of() {
  local a b c d prefix=${1#*/}
  IFS=. read -r a b c d <<<"${1%/*}"
  dotted $((((a << 24) + (b << 16) + (c << 8) + d | (1 << (32 - prefix)) - 1) - 1))
}

dotted() { echo "$(($1 >> 24)).$(($1 >> 16 & 255)).$(($1 >> 8 & 255)).$(($1 & 255))"; }

# reset NAME [PATTERN]: cuts the power once the unit that installs a node has logged PATTERN, and restores it, even if the machine is off; data that the guest wrote to its disk is kept.
reset_machine() {
  local name=${1:?NAME} pattern=${2:-}
  [ -z "$pattern" ] || await "$pattern" "$PATIENCE" says "$name" "$pattern"
  [ -e "$HOSTS/$name/hardware" ] || die "reset: there is no machine $name"
  cut_power "$name"
  start_machine "$name"
}

says() {
  (exec_machine "$1" journalctl -u fairway-node -o cat --no-pager) 2>/dev/null | grep -E "$2" >/dev/null
}

cut_power() { finish "$HOSTS/$1/pid" KILL; }

# Lists the servers that have a machine here, for follow-servers.ts.
list_servers() {
  local folder
  for folder in "$HOSTS"/*/; do
    [ ! -e "$folder/server" ] || echo "$(cat "$folder/server") $(basename "$folder")"
  done
}

# Logs in as the image's own user, who may become root; arguments are passed unchanged.
exec_machine() {
  local name=${1:?NAME} address
  shift
  is_machine_running "$name" || die "$name does not run"
  address=$(cut -d/ -f1 "$HOSTS/$name/address")
  # shellcheck disable=SC2029
  ssh -F none -i "$SSH_KEY" -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR \
    -o ConnectTimeout=30 -o ServerAliveInterval=10 -o ServerAliveCountMax=6 -o KexAlgorithms=curve25519-sha256 \
    "debian@$address" "sudo -- $(printf '%q ' "$@")"
}

# Whether systemd has finished starting, even if some units failed.
has_booted() {
  (exec_machine "$1" systemctl is-system-running) 2>/dev/null | grep -qE '^(running|degraded)$'
}

diagnose() {
  echo "--- $1"
  tail -n 20 "$HOSTS/$1/said" "$HOSTS/$1/console" || true
  # shellcheck disable=SC2016
  (exec_machine "$1" sh -c 'cloud-init status --long; journalctl -u fairway-node --no-pager -n 20 -o cat; systemctl --failed --no-legend
    for unit in containerd kubelet; do journalctl -u $unit --no-pager -n 25 -o cat; done') 2>&1 || true
}

# Acts like a power cut. Also completes an earlier one that was interrupted.
end_machine() {
  cut_power "$1"
  unplug "$1"
  rm -rf "${HOSTS:?}/$1"
}
