# shellcheck shell=bash disable=SC2086,SC2154
# Starts, finds and stops processes; a process is ours if its pid and start time match the recorded ones.
starttime() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }
alive() { # NAME: the process this script started under that name still runs
  local pid st
  [ -s "$R/run/$1.pid" ] || return 1
  read -r pid st <"$R/run/$1.pid"
  [ -n "$st" ] && [ "$(starttime "$pid")" = "$st" ]
}
start() { # NAME CMD...
  local name=$1; shift
  alive "$name" && return 0
  setsid "$@" >>"$R/log/$name.log" 2>&1 </dev/null &
  local pid=$!
  echo "$pid $(starttime $pid)" >"$R/run/$name.pid"
}
stop() { # NAME [seconds]
  local pid st i
  alive "$1" || { rm -f "$R/run/$1.pid"; return 0; }
  read -r pid st <"$R/run/$1.pid"
  kill -TERM "$pid" 2>/dev/null || true
  for i in $(seq $(( ${2:-10} * 5 ))); do alive "$1" || break; sleep 0.2; done
  # It leads its own session and group (setsid): any process left in it is ours.
  kill -KILL -- "-$pid" 2>/dev/null || true
  rm -f "$R/run/$1.pid"
}
port() { (exec 3<>/dev/tcp/127.0.0.1/$1) 2>/dev/null; }
await() { # DESCRIPTION SECONDS CMD...
  local what=$1 n=$2 i; shift 2
  for i in $(seq $((n * 5))); do "$@" && return 0; sleep 0.2; done
  die "$what did not come up in ${n}s; see $R/log"
}
http() { [ "$(/usr/bin/curl -s --noproxy '*' -o /dev/null -m 5 -w '%{http_code}' "$1" 2>/dev/null || true)" -lt 500 ] 2>/dev/null && \
         [ "$(/usr/bin/curl -s --noproxy '*' -o /dev/null -m 5 -w '%{http_code}' "$1" 2>/dev/null || true)" -gt 0 ]; }
sql() { mariadb --no-defaults -S "$SOCK" -u root "$@"; }
sqlok() { sql -e 'select 1' >/dev/null 2>&1; }
