# shellcheck shell=bash
# A bridge on this machine that connects all hosts, like a cloud's subnet. Namespaces are called $NETNS-…, links $LINK followed by ten digits.

network_up() {
  ip link show "$BRIDGE" >/dev/null 2>&1 || ip link add "$BRIDGE" type bridge
  ip address replace "$ADDRESS/32" dev "$BRIDGE"
  ip link set "$BRIDGE" up
  # Hosts reach each other and this machine, but nothing beyond it.
  echo 0 >"/proc/sys/net/ipv4/conf/$BRIDGE/forwarding"
}

network_down() {
  local name
  # Namespaces of hosts that were killed during startup or shutdown.
  for name in $(ip netns list | awk -v own="^$NETNS-" '$1 ~ own {print $1}'); do ip netns delete "$name"; done
  ! ip link show "$BRIDGE" >/dev/null 2>&1 || ip link delete "$BRIDGE"
}

# Interface names are limited to 15 characters.
link_of() {
  echo "$LINK$(echo -n "$1" | sha256sum | cut -c1-10)"
}

# plug NAME MAC GATEWAY/PREFIX: creates the host's namespace with its interface eth0.
plug() {
  local name=$1 mac=$2 gateway=$3 link
  link=$(link_of "$name")
  ip link show "$BRIDGE" >/dev/null 2>&1 || die "there is no bridge: run testbed up first"
  ip address replace "$gateway" dev "$BRIDGE"
  unplug "$name"
  ip netns add "$NETNS-$name"
  ip link add "$link" type veth peer name eth0 address "$mac" netns "$NETNS-$name"
  ip link set "$link" master "$BRIDGE" up
}

unplug() {
  local link
  link=$(link_of "$1")
  ! ip link show "$link" >/dev/null 2>&1 || ip link delete "$link"
  [ ! -e "/run/netns/$NETNS-$1" ] || ip netns delete "$NETNS-$1"
}

# The cloud's metadata service for servers: on the bridge, in a separate namespace. It does not affect this machine's own metadata service, if any.
METADATA=.metadata
metadata_up() {
  local netns=$NETNS-$METADATA link
  ! is_running metadata || return 0
  mkdir -p "$HOSTS"
  link=$(link_of "$METADATA")
  unplug "$METADATA"
  ip netns add "$netns"
  ip link add "$link" type veth peer name eth0 netns "$netns"
  ip link set "$link" master "$BRIDGE" up
  ip -n "$netns" link set lo up
  ip -n "$netns" link set eth0 up
  ip -n "$netns" address add 169.254.169.254/32 dev eth0
  ip -n "$netns" route add default dev eth0
  launch "$RUN/metadata.pid" "$RUN/metadata.log" ip netns exec "$netns" "$NODE" "$HERE/metadata.ts" "$HOSTS"
  await "the metadata service" 20 ip netns exec "$netns" curl -so /dev/null http://169.254.169.254/ ||
    { tail -5 "$RUN/metadata.log" >&2; die "the metadata service does not answer"; }
}

metadata_down() {
  finish "$RUN/metadata.pid" TERM
  rm -f "$RUN/metadata.pid"
  unplug "$METADATA"
}
