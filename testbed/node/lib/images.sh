# shellcheck shell=bash
# Container images that are built here: pause (which holds a pod's namespaces), busybox, and third-party programs. Stored as blobs by digest, plus tags.

PAUSE_TAG=3.10.1
BUSYBOX_TAG=1.35

build_images() {
  build_base_images
  [ -z "${NODETEST_CANAL:-}" ] || canal_images "$NODETEST_CANAL" "$CALICO_TAG"
}

build_base_images() {
  local work=$CACHE/work-images
  [ ! -e "$CACHE/images/tags/pause/$PAUSE_TAG" ] || [ ! -e "$CACHE/images/tags/library/busybox/$BUSYBOX_TAG" ] || return 0
  say "container images"
  rm -rf "$work" "$CACHE/images" && mkdir -p "$work/pause" "$work/busybox/bin" "$work/busybox/tmp" "$work/busybox/etc"

  gcc -static -Os -s -o "$work/pause/pause" "$HERE/machine/pause.c"
  write_image "$work/pause" pause "$PAUSE_TAG" '["/pause"]' 'null' 65535:65535

  dpkg-deb -x "$(echo "$CACHE"/pool/busybox-static_*.deb)" "$work/deb"
  cp "$work/deb/bin/busybox" "$work/busybox/bin/"
  local applet
  for applet in $("$work/busybox/bin/busybox" --list); do
    [ "$applet" = busybox ] || ln -s busybox "$work/busybox/bin/$applet"
  done
  chmod 1777 "$work/busybox/tmp"
  echo 'root:x:0:0:root:/:/bin/sh' >"$work/busybox/etc/passwd"
  write_image "$work/busybox" library/busybox "$BUSYBOX_TAG" 'null' '["sh"]' ''
  rm -rf "$work"
}

# publish_program FILE NAME TAG [USER [PACKAGE...]]: publishes the image of one program, with no other files except those of the given Debian packages.
publish_program() {
  local file=$1 name=$2 tag=$3 user=${4:-65534:65534} work=$CACHE/work-images program mark
  program=$(basename "$name")
  shift $(($# < 4 ? 3 : 4))
  mark=$(cat "$file" "$HERE/lib/images.sh" <(echo "$user $*") | sha256sum | cut -d' ' -f1)
  [ "$(cat "$CACHE/images/programs/$name:$tag" 2>/dev/null)" != "$mark" ] || return 0
  rm -rf "$work" && mkdir -p "$work/program"
  if [ $# -eq 0 ]; then
    install -m 755 "$file" "$work/program/$program"
    write_image "$work/program" "$name" "$tag" "[\"/$program\"]" 'null' "$user"
  else
    say "image of $program"
    extract_packages "$work/program" "$@"
    install -m 755 "$file" "$work/program/bin/$program"
    write_image "$work/program" "$name" "$tag" 'null' "[\"/bin/$program\"]" "$user"
  fi
  rm -rf "$work"
  mkdir -p "$(dirname "$CACHE/images/programs/$name")"
  echo "$mark" >"$CACHE/images/programs/$name:$tag"
}

# extract_packages ROOT PACKAGE...: with their dependencies, except interpreters and their dependencies; maintainer scripts do not run.
extract_packages() {
  local root=$1
  shift
  mmdebstrap --quiet --variant=extract --include="$*" bookworm "$root" "$CACHE/sources.list" >"$CACHE/extract.log" 2>&1 ||
    { tail -20 "$CACHE/extract.log" >&2; die "mmdebstrap: $*"; }
  rm -rf "$root"/usr/share "$root"/usr/{bin,lib}/python3* "$root"/usr/lib/*/libicu* "$root"/lib/udev/hwdb.d "$root"/var/{cache,lib}/* "$root"/tmp/*
}

# write_image ROOT NAME TAG ENTRYPOINT COMMAND USER
write_image() {
  local root=$1 name=$2 tag=$3 entrypoint=$4 command=$5 user=$6 layer="$CACHE/work-images/layer" diff_id config manifest
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$root" -cf "$layer.tar" .
  diff_id=$(sha256sum "$layer.tar" | cut -d' ' -f1)
  gzip -n -f "$layer.tar"
  cat >"$layer.config" <<JSON
{"architecture":"amd64","os":"linux","config":{"Env":["PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],"Entrypoint":$entrypoint,"Cmd":$command,"User":"$user"},
"rootfs":{"type":"layers","diff_ids":["sha256:$diff_id"]},"history":[{"created_by":"testbed, for $name:$tag"}]}
JSON
  cat >"$layer.manifest" <<JSON
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
"config":$(describe "$layer.config" application/vnd.oci.image.config.v1+json),
"layers":[$(describe "$layer.tar.gz" application/vnd.oci.image.layer.v1.tar+gzip)]}
JSON
  config=$(add_blob "$layer.config") && manifest=$(add_blob "$layer.manifest") && add_blob "$layer.tar.gz" >/dev/null
  [ -n "$config" ] && mkdir -p "$CACHE/images/tags/$name"
  echo "sha256:$manifest" >"$CACHE/images/tags/$name/$tag"
}

describe() {
  printf '{"mediaType":"%s","digest":"sha256:%s","size":%d}' "$2" "$(sha256sum "$1" | cut -d' ' -f1)" "$(stat -c %s "$1")"
}

add_blob() {
  local digest
  digest=$(sha256sum "$1" | cut -d' ' -f1)
  mkdir -p "$CACHE/images/blobs"
  cp "$1" "$CACHE/images/blobs/$digest"
  echo "$digest"
}
