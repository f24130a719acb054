# shellcheck shell=bash
# A host: an overlay over a root file system, network namespace, cgroup, systemd in systemd-nspawn.

boot_host() {
  # Hosts see all of the machine's resources; the requested vCPUs, memory and disk are ignored.
  local name address gateway mac user_data image server zone vcpus memory disk
  read_boot_options host "$@"
  [ -e "$CACHE/roots/$image/.whole" ] || die "boot: there is no image $image; there are: $IMAGES"
  ! is_host_running "$name" || return 0
  end_host "$name"

  local host=$HOSTS/$name
  mkdir -p "$host"/{upper,work,root,disk}
  echo "$address" >"$host/address"
  [ -z "$server" ] || echo "$server" >"$host/server"
  [ -z "$zone" ] || echo "$zone" >"$host/zone"
  mount -t overlay "fwtest-$name" -o "lowerdir=$CACHE/roots/$image,upperdir=$host/upper,workdir=$host/work" "$host/root"
  add_disk "$host"
  write_seed "$host/root/var/lib/cloud/seed/nocloud" "$name" "$address" "$gateway" "$user_data"
  plug "$name" "$mac" "$gateway/${address#*/}"
  start_host "$name"
}

# A separate file system for directories that can't be on an overlay: kubelets check how full it is, and the machine's disk is shared. As large as any flavor's disk, because
# nodes hold a share back.
DISK_SIZE=200G
add_disk() {
  truncate -s "$DISK_SIZE" "$1/disk.img"
  mkfs.ext4 -q -F -m 0 -O ^has_journal -E nodiscard,lazy_itable_init=1 "$1/disk.img"
  mount -o loop "$1/disk.img" "$1/disk"
  mkdir -p "$1"/disk/{containerd,kubelet,log}
}

start_host() {
  launch "$HOSTS/$1/pid" "$HOSTS/$1/console" "$HERE/lib/run-host" "$1" "$HOSTS/$1" "$CGROUP"
  await "the start of $1" 10 is_host_running "$1"
}

# reset NAME [PATTERN]: cuts the power once the unit that installs a node has logged PATTERN, and restores it; the disk is unchanged.
reset_host() {
  local name=${1:?NAME} pattern=${2:-}
  [ -z "$pattern" ] || await "$pattern" 180 says "$name" "$pattern"
  is_host_running "$name" || die "reset: $name does not run"
  await "the end of $name" 20 kill_host "$name"
  start_host "$name"
}

says() {
  (exec_host "$1" journalctl -u fairway-node -o cat --no-pager) 2>/dev/null | grep -E "$2" >/dev/null
}

# The data from a cloud's metadata service, in the place where cloud-init's NoCloud looks for it. The interface is identified by name, not by
# its address: netplan matches the permanent address, which a veth lacks.
write_seed() {
  local seed=$1 name=$2 address=$3 gateway=$4 user_data=$5
  mkdir -p "$seed"
  cp "$user_data" "$seed/user-data"
  printf 'instance-id: %s-%s\nlocal-hostname: %s\n' "$name" "$(date +%s%N)" "$name" >"$seed/meta-data"
  cat >"$seed/network-config" <<YAML
version: 2
ethernets:
  eth0:
    addresses: [$address]
    routes: [{to: default, via: $gateway}, {to: 169.254.169.254/32, scope: link}]
    nameservers: {addresses: [$ADDRESS]}
YAML
}

# Lists the servers that have a host here, for follow-servers.ts.
list_servers() {
  local folder
  for folder in "$HOSTS"/*/; do
    [ ! -e "$folder/server" ] || echo "$(cat "$folder/server") $(basename "$folder")"
  done
}

# The PID on this machine of a host's first process: the child of nspawn, which is a child of run-host.
leader_of() {
  local pid
  read -r pid _ <"$HOSTS/$1/pid"
  pid=$(first_child "$pid")
  [ -z "$pid" ] || first_child "$pid"
}

first_child() { cut -d' ' -f1 "/proc/$1/task/$1/children" 2>/dev/null || true; }

is_host_running() { is_alive "$HOSTS/$1/pid"; }

exec_host() {
  local name=${1:?NAME} leader
  shift
  is_host_running "$name" || die "$name does not run"
  leader=$(leader_of "$name")
  [ -n "$leader" ] || die "$name has not begun to boot"
  nsenter -t "$leader" -m -u -i -n -p -C -- env -i PATH="$PATH" TERM=dumb HOME=/root "$@"
}

# Whether systemd has finished starting, even if some units failed.
has_booted() {
  (exec_host "$1" systemctl is-system-running) 2>/dev/null | grep -qE '^(running|degraded)$'
}

diagnose() {
  echo "--- $1"
  tail -n 20 "$HOSTS/$1/console" || true
  # shellcheck disable=SC2016
  (exec_host "$1" sh -c 'cloud-init status --long; journalctl -u fairway-node --no-pager -n 20 -o cat; systemctl --failed --no-legend
    for unit in containerd kubelet; do journalctl -u $unit --no-pager -n 25 -o cat; done') 2>&1 || true
}

# Acts like a power cut. Also completes an earlier one that was interrupted.
end_host() {
  local name=$1 host=$HOSTS/$1 mount
  await "the end of $name" 20 kill_host "$name" || die "end: processes of $name remain"
  unplug "$name"
  release_disks_of "$name"
  for mount in "$host/root" "$host/disk"; do
    while mountpoint -q "$mount"; do umount -l "$mount"; done
  done
  remove_cgroups "$name"
  rm -rf "$host"
}

# Whether none of the host's processes are left, in its cgroups or run-host itself; kills any that remain.
kill_host() {
  local hierarchy pids=""
  ! is_host_running "$1" || read -r pids _ <"$HOSTS/$1/pid"
  for hierarchy in $(hierarchies); do
    [ ! -d "$hierarchy/$CGROUP/$1" ] || pids+=" $(find "$hierarchy/$CGROUP/$1" -name cgroup.procs -exec cat {} + 2>/dev/null | sort -u)"
  done
  # shellcheck disable=SC2086
  [ -n "${pids// /}" ] && kill -KILL $pids 2>/dev/null
  [ -z "${pids// /}" ]
}

# Removes children before their parents; removal may still fail just after the last process has ended.
remove_cgroups() {
  local hierarchy
  for hierarchy in $(hierarchies); do
    [ ! -d "$hierarchy/$CGROUP/$1" ] || await "cgroups of $1" 10 remove_tree "$hierarchy/$CGROUP/$1" || true
  done
}

remove_tree() {
  find "$1" -depth -type d -exec rmdir {} + 2>/dev/null
  [ ! -d "$1" ]
}

cgroups_down() {
  local hierarchy
  for hierarchy in $(hierarchies); do
    [ ! -d "$hierarchy/$CGROUP" ] || await cgroups 10 remove_tree "$hierarchy/$CGROUP" || true
  done
}

# All mounted hierarchies: a single one for cgroup v2, one per controller for v1.
hierarchies() {
  awk '$3 == "cgroup" || $3 == "cgroup2" {print $2}' /proc/mounts
}
