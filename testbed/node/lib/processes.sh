# shellcheck shell=bash
# Processes are identified by pid and start time, so that no other process is ever killed.

started_of() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  [ "$1" != Z ] && echo "${20}"
}

# is_alive PIDFILE
is_alive() {
  local pid started
  [ -e "$1" ] && read -r pid started <"$1" && [ "$(started_of "$pid")" = "$started" ]
}

is_running() { is_alive "$RUN/$1.pid"; }

# launch PIDFILE LOG COMMAND...: runs the command in the background; its pid file is written before it starts.
launch() {
  local pidfile=$1 log=$2
  shift 2
  # shellcheck disable=SC2016
  setsid bash -c '
    read -r stat <"/proc/$$/stat"; set -- "$@"; rest=(${stat##*) })
    echo "$$ ${rest[19]}" >"$0.new" && mv "$0.new" "$0"
    exec 7>&- 8>&-
    exec "$@"' "$pidfile" "$@" </dev/null >>"$log" 2>&1 &
  disown
}

# finish PIDFILE SIGNAL: sends the signal to the process, and waits until it has exited.
finish() {
  local pid
  is_alive "$1" || return 0
  read -r pid _ <"$1"
  kill "-$2" "$pid" 2>/dev/null || true
  await "end of $pid" 20 gone "$1" || { kill -KILL "$pid" 2>/dev/null || true; await "end of $pid" 10 gone "$1"; }
}

gone() { ! is_alive "$1"; }

# await WHAT SECONDS COMMAND...
await() {
  local what=$1 deadline=$((SECONDS + $2))
  shift 2
  until "$@"; do
    [ $SECONDS -lt $deadline ] || { say "gave up on $what"; return 1; }
    sleep 0.1
  done
}

mirror_up() {
  mkdir -p "$RUN"
  if ! is_running mirror; then
    [ -n "$NODE" ] || die "no node: run npm ci"
    rm -f "$RUN/proxied"
    launch "$RUN/mirror.pid" "$RUN/mirror.log" "$NODE" "$HERE/mirror.ts" "$CACHE" "$ADDRESS" "$PORT" "$PROXY_PORT"
  fi
  await "the mirror" 20 curl -sfo /dev/null --cacert "$CACHE/tls/ca.crt" "$MIRROR/v2/" ||
    { tail -5 "$RUN/mirror.log" >&2; die "the mirror does not answer"; }
}

mirror_down() {
  finish "$RUN/mirror.pid" TERM
  rm -f "$RUN/mirror.pid"
}

# Node settings for the mirror. Some names are reachable directly, others only through the proxy.
mirror_settings() {
  cat <<YAML
packageSources:
  kubernetes: $MIRROR/kubernetes
  containerd: https://packages.testbed.example/docker
registryMirrors:
  docker.io: [https://registry.testbed.example]
  registry.k8s.io: [$MIRROR]
  quay.io: [$MIRROR]
  ghcr.io: [$MIRROR]
proxy:
  httpProxy: http://$ADDRESS:$PROXY_PORT
  httpsProxy: http://$ADDRESS:$PROXY_PORT
  noProxy: [$ADDRESS]
extraCertificateAuthorities:
  - |
$(sed 's/^/    /' "$CACHE/tls/ca.crt")
YAML
}
