# shellcheck shell=bash
# The images that Kubernetes' own tests run, with the names and tags that the tests request. The tests' own programs are built from
# their source (testbed/kubernetes/current build-images); Debian's packages replace the published base images: see README.md.

TEST_IMAGES=e2e-test-images
# Debian's busybox shell prefers built-in programs to those on PATH, and drops variables whose name contains a dash.
TEST_SHELL=bash-static
# Packages with the programs, other than busybox's, that tests run in a shell in the agnhost and DNS images.
AGNHOST_TOOLS="bash bind9-dnsutils curl iperf iproute2 libc-bin netcat-openbsd util-linux"

# build_test_images VERSION
build_test_images() {
  local version=$1 programs files mark
  programs=$("$HERE/../kubernetes/current" path "$version")
  files=$(dirname "$programs")/image-files
  [ -x "$programs/e2e.test" ] || die "there are no tests of Kubernetes $version: testbed/kubernetes/current build-tests makes them"
  [ -e "$files" ] || die "there are no programs of their images: testbed/kubernetes/current build-images makes them"
  mark=$(cat "$HERE/lib/images.sh" "$HERE/lib/test-images.sh" <(cd "$programs" && ls -l --time-style=full-iso) | sha256sum | cut -d' ' -f1)
  [ "$(cat "$CACHE/images/tests" 2>/dev/null)" != "$mark" ] || return 0
  say "images of the tests of Kubernetes $version"
  write_test_images "$programs" "$files" "$CACHE/work-images/tests"
  rm -rf "$CACHE/work-images"
  echo "$mark" >"$CACHE/images/tests"
}

write_test_images() {
  local programs=$1 files=$2 work=$3 name
  ASKED=$("$programs/e2e.test" --list-images)
  rm -rf "$work" && mkdir -p "$work"/{pause,busybox/bin,etcd/usr/local/bin,server}

  gcc -static -Os -s -o "$work/pause/pause" "$HERE/machine/pause.c"
  write_asked "$work/pause" pause '["/pause"]' null 65535:65535

  extract_package "$work/shell" "$TEST_SHELL"
  install "$work/shell/bin/bash-static" "$work/busybox/bin/sh"
  add_basics "$work/busybox"
  write_asked "$work/busybox" "$TEST_IMAGES/busybox" null '["sh"]' ''
  write_asked "$work/busybox" "$TEST_IMAGES/nonroot" null '["sh"]' 1234
  mkdir -p "$work/busybox/usr/local/bin"
  install -m 6755 "$programs/nonewprivs" "$work/busybox/usr/local/bin/nnp"
  write_asked "$work/busybox" "$TEST_IMAGES/nonewprivs" null '["nnp"]' ''

  install "$programs/etcd" "$programs/etcdctl" "$work/etcd/usr/local/bin/"
  write_asked "$work/etcd" etcd null '["etcd"]' ''
  install "$programs/sample-apiserver" "$work/server/"
  write_asked "$work/server" "$TEST_IMAGES/sample-apiserver" '["/sample-apiserver"]' null ''

  make_agnhost "$work/agnhost" "$programs/agnhost" "$files/porter"
  write_asked "$work/agnhost" "$TEST_IMAGES/agnhost" '["/agnhost"]' '["pause"]' ''
  # agnhost's files serve the same purpose: dig, and name resolution through glibc.
  write_asked "$work/agnhost" "$TEST_IMAGES/glibc-dns-testing" null '["bash"]' ''
  for name in kitten nautilus; do
    cp -r "$work/agnhost" "$work/$name" && install -m 644 "$files/$name/html"/* "$work/$name/"
    write_asked "$work/$name" "$TEST_IMAGES/$name" '["/agnhost"]' '["test-webserver"]' ''
  done

  make_nginx "$work/nginx"
  write_asked "$work/nginx" "$TEST_IMAGES/nginx" null '["nginx", "-g", "daemon off;"]' ''
}

# write_asked ROOT NAME ENTRYPOINT COMMAND USER: for each tag of registry.k8s.io/NAME that the tests use.
write_asked() {
  local root=$1 name=$2 tag
  shift 2
  for tag in $(sed -n "s|^registry\.k8s\.io/$name:||p" <<<"$ASKED"); do write_image "$root" "$name" "$tag" "$@"; done
}

# extract_package ROOT PACKAGE: without dependencies.
extract_package() {
  mkdir -p "$1/tmp"
  (cd "$1/tmp" && apt-get -o Acquire::Retries=5 -o APT::Sandbox::User=root -qq download "$2" 2>/dev/null) || die "apt-get download: $2"
  dpkg-deb -x "$1/tmp/$2"_*.deb "$1" && rm -f "$1/tmp/$2"_*.deb
}

# Adds files that any program may need: users, host names, a temporary directory, and busybox for each missing command.
add_basics() {
  local root=$1 applet
  mkdir -p "$root"/{bin,etc,tmp,root,home,var/tmp,run} && chmod 1777 "$root/tmp" "$root/var/tmp"
  printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'nobody:x:65534:65534:nobody:/:/bin/false' >"$root/etc/passwd"
  printf '%s\n' 'root:x:0:' 'nogroup:x:65534:' >"$root/etc/group"
  echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
  dpkg-deb --fsys-tarfile "$(echo "$CACHE"/pool/busybox-static_*.deb)" | tar -xO ./bin/busybox >"$root/bin/busybox"
  chmod 755 "$root/bin/busybox"
  for applet in $("$root/bin/busybox" --list); do
    [ -n "$(ls "$root"/{,usr/}{,s}bin/"$applet" 2>/dev/null)" ] || ln -s busybox "$root/bin/$applet"
  done
}

make_agnhost() {
  local root=$1 program=$2 porter=$3
  # shellcheck disable=SC2086
  extract_packages "$root" $AGNHOST_TOOLS
  # Of the extracted programs, only dig is linked to it.
  extract_package "$root" libicu72
  rm -rf "$root/usr/share"
  ln -sf nc.openbsd "$root/bin/nc"
  ln -sf bash "$root/bin/sh"
  add_basics "$root"
  install "$program" "$root/agnhost" && ln -s agnhost "$root/agnhost-2"
  install -m 644 "$porter"/localhost.{crt,key} "$root/"
  mkdir "$root/uploads"
  echo 'user-defined-in-image:x:1000:1000::/:/bin/sh' >>"$root/etc/passwd"
  printf '%s\n' 'user-defined-in-image:x:1000:' 'group-defined-in-image:x:50000:user-defined-in-image' >>"$root/etc/group"
}

# Puts the pages in the same place as in the published image.
make_nginx() {
  local root=$1
  extract_packages "$root" nginx
  add_basics "$root"
  mkdir -p "$root"/usr/share/nginx/html "$root"/var/log/nginx "$root"/etc/nginx
  echo '<title>Welcome to nginx!</title>' >"$root/usr/share/nginx/html/index.html"
  cat >"$root/etc/nginx/nginx.conf" <<'CONF'
user nobody nogroup;
pid /run/nginx.pid;
error_log /dev/stderr notice;
events {}
http {
  access_log /dev/stdout;
  client_body_temp_path /tmp/body;
  proxy_temp_path /tmp/proxy;
  fastcgi_temp_path /tmp/fastcgi;
  uwsgi_temp_path /tmp/uwsgi;
  scgi_temp_path /tmp/scgi;
  types { text/html html; }
  server {
    listen 80;
    root /usr/share/nginx/html;
  }
}
CONF
}
