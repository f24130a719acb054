# shellcheck shell=bash disable=SC2086,SC2154
# Prints what is running, which services respond, their memory, and how to reach them.
status() {
  local n a pid st ok=0
  for n in $NAMES; do
    if alive $n; then read -r pid st <$R/run/$n.pid
      printf '%-10s pid %-7s up   %s\n' $n $pid "$(tree_mem $pid)"
    else printf '%-10s down\n' $n; ok=1; fi
  done
  for a in $APIS; do
    if http "http://127.0.0.1:${a#*:}"; then printf 'http://127.0.0.1:%s %s answers\n' "${a#*:}" "${a%%:*}"; else printf '%s does NOT answer\n' "$a"; ok=1; fi
  done
  /usr/bin/python3 - $R/run/*.pid <<'E'
import os, sys
# If nothing has ever run, the shell leaves the pattern unexpanded.
noted = [open(f).read().split() for f in sys.argv[1:] if os.path.exists(f)]
roots = {int(words[0]) for words in noted if len(words) == 2}
kids = {}
for p in os.listdir('/proc'):
    if p.isdigit():
        try: kids.setdefault(int(open('/proc/%s/stat' % p).read().rsplit(') ', 1)[1].split()[1]), []).append(int(p))
        except OSError: pass
todo, seen = list(roots), set()
while todo:
    p = todo.pop()
    if p not in seen: seen.add(p); todo += kids.get(p, [])
rss = pss = 0
for p in seen:
    try:
        for l in open('/proc/%d/smaps_rollup' % p):
            if l.startswith('Rss:'): rss += int(l.split()[1])
            if l.startswith('Pss:'): pss += int(l.split()[1])
    except OSError: pass
print('total: %d processes, RSS %d MiB, PSS %d MiB' % (len(seen), rss // 1024, pss // 1024))
E
  du -sh $R 2>/dev/null | awk '{print "disk: " $1 " in " $2}'
  return $ok
}
tree_mem() { # RSS of the process and its session
  ps -s "$1" -o rss= | awk '{s+=$1;n++} END{printf "%d processes, RSS %d MiB", n, s/1024}'
}

env_() {
  local c=${1:-demo-a} p=${1:-demo-a}
  [ "$c" = reader-a ] && p=demo-a
  cat <<E
export OS_CLIENT_CONFIG_FILE=$R/clouds.yaml
export OS_CLOUD=ostest-$c
export OS_AUTH_URL=http://127.0.0.1:5000/v3 OS_IDENTITY_API_VERSION=3 OS_REGION_NAME=RegionOne
export OS_USERNAME=$c OS_PASSWORD=$OSTEST_PASSWORD OS_PROJECT_NAME=$p
export OS_USER_DOMAIN_NAME=Default OS_PROJECT_DOMAIN_NAME=Default
export no_proxy='*'
E
}
