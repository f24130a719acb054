# shellcheck shell=bash disable=SC2086,SC2154
# Installs Debian packages, and unpacks the example configuration of those that are not installed.
installed() {
  local n
  n=$(dpkg-query -W -f='${db:Status-Status}\n' $PY_PKGS 2>/dev/null | grep -c '^installed$' || true)
  [ "$n" = "$(echo $PY_PKGS | wc -w)" ]
}

install_pkgs() {
  if ! installed; then
    [ "$(id -u)" = 0 ] || die "needs root to install"
    local made=
    if [ ! -e /usr/sbin/policy-rc.d ]; then
      printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d; chmod +x /usr/sbin/policy-rc.d; made=1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get -o Acquire::Retries=5 update -q
    apt-get -o Acquire::Retries=5 install -y -q --no-install-recommends -o Dpkg::Use-Pty=0 \
      -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
      -o Dpkg::Options::=--force-unsafe-io $PY_PKGS
    [ -z "$made" ] || rm -f /usr/sbin/policy-rc.d
    say "packages installed"
  fi
  mkdir -p "$R"
  if [ ! -e "$R/dist/.done" ]; then
    rm -rf "$R/dist" "$R/debs"; mkdir -p "$R/dist" "$R/debs"; chmod 777 "$R/debs"
    (cd "$R/debs" && apt-get -o Acquire::Retries=5 download -q $CONF_PKGS >/dev/null)
    for f in "$R"/debs/*.deb; do dpkg-deb -x "$f" "$R/dist"; done
    rm -rf "$R/debs"; touch "$R/dist/.done"
    say "example configuration unpacked"
  fi
}
