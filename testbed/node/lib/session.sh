# shellcheck shell=bash
# Whose turn it is.

# One at a time changes what is cached or the machine's network; hosts boot side by side.
locked() {
  mkdir -p "$CACHE"
  exec 8>"$CACHE/.lock"
  flock 8
}

# Up, a command, and down at its end: hosts are one user's at a time, and the next one waits.
session() {
  local child
  mkdir -p "$CACHE"
  exec 7>"$CACHE/.following"
  flock -n 7 || { say "someone else uses this machine's hosts: waiting"; flock 7; }
  (locked && up)
  "$@" 7>&- <&0 &
  child=$!
  trap 'kill -TERM "$child" 2>/dev/null || true' TERM INT
  # A signal ends the first wait, not the child.
  wait "$child" || true
  wait "$child" 2>/dev/null || true
  locked && down
}

# For hosts that whoever calls boots.
hold() { session sh -c 'echo held; exec cat >/dev/null'; }

# The hypervisor of a cloud.
follow() { session "$NODE" "$HERE/follow-servers.ts" "$TESTBED" "$@"; }
