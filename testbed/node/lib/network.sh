# shellcheck shell=bash
# A bridge of the machine that hosts hang on, as the machines of a cloud's subnet. Namespaces are called $NETNS-…, links $LINK and ten digits.

network_up() {
  ip link show "$BRIDGE" >/dev/null 2>&1 || ip link add "$BRIDGE" type bridge
  ip address replace "$ADDRESS/32" dev "$BRIDGE"
  ip link set "$BRIDGE" up
  # Hosts reach each other and this machine, and through it nothing else.
  echo 0 >"/proc/sys/net/ipv4/conf/$BRIDGE/forwarding"
}

network_down() {
  local name
  # Those of hosts that were killed halfway.
  for name in $(ip netns list | awk -v own="^$NETNS-" '$1 ~ own {print $1}'); do ip netns delete "$name"; done
  ! ip link show "$BRIDGE" >/dev/null 2>&1 || ip link delete "$BRIDGE"
}

# Names of interfaces have 15 characters at most.
link_of() {
  echo "$LINK$(echo -n "$1" | sha256sum | cut -c1-10)"
}

# plug NAME MAC GATEWAY/PREFIX: the host's namespace with its interface eth0.
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

# Where servers look for the cloud's metadata service: on the bridge, in a namespace of its own. This machine's own one, if it has any, stays as it is.
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
