# shellcheck shell=bash
# Whose turn it is.

# Only one process at a time changes the cache or the machine's network; hosts boot concurrently.
locked() {
  mkdir -p "$CACHE"
  exec 8>"$CACHE/.lock"
  flock 8
}

# Runs up, a command, and then down: only one user at a time can have hosts, and the next one waits.
session() {
  local child
  mkdir -p "$CACHE"
  exec 7>"$CACHE/.following"
  flock -n 7 || { say "someone else uses this machine's hosts: waiting"; flock 7; }
  (locked && up)
  "$@" 7>&- <&0 &
  child=$!
  trap 'kill -TERM "$child" 2>/dev/null || true' TERM INT
  # A signal interrupts the first wait, but the child keeps running.
  wait "$child" || true
  wait "$child" 2>/dev/null || true
  locked && down
}

# For callers that boot hosts themselves.
hold() { session sh -c 'echo held; exec cat >/dev/null'; }

# Acts as the hypervisor of a cloud.
follow() { session "$NODE" "$HERE/follow-servers.ts" "$TESTBED" "$@"; }
