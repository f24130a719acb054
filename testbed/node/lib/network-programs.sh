# shellcheck shell=bash
# Programs for a cluster's network that Debian does not package, built from Go's module proxy.

PROGRAMS=$CACHE/programs
NETWORK_GO=1.26
CNI_PLUGINS=v1.9.0
# The newest Calico that Go's module proxy has: a module with major version 3 but without /v3 in its path is available only by commit, and the proxy has few commits.
CALICO_BUILT=v3.31.0
CALICO_COMMIT=v0.0.0-20251021213802-b1f3c43f8437
CALICO_API=v0.0.0-20251022175904-f2ab03771208

# The programs in a part.
programs_of() {
  case "$1" in
    plugins) echo host-local loopback portmap bandwidth ;;
    flannel) echo flanneld ;;
    calico) echo calico-node calico install ;;
    coredns) echo coredns ;;
    metrics) echo metrics-server ;;
  esac
}

# build_programs PART...: builds each part once; files in PROGRAMS are always complete.
build_programs() {
  local work=$CACHE/work-programs part
  mkdir -p "$PROGRAMS"
  # Dependencies must not change the requested versions, and no Go toolchain is downloaded.
  export GOFLAGS=-mod=mod GOTOOLCHAIN=local CGO_ENABLED=0
  for part in "$@"; do is_built "$part" || "build_$part"; done
  rm -rf "$work"
}

is_built() {
  local name
  for name in $(programs_of "$1"); do [ -x "$PROGRAMS/$name" ] || return 1; done
}

# source_of MODULE VERSION: copies the module's files to `work`/src, where they can be patched and built.
source_of() {
  [ -n "$GO" ] && [ "$(printf '%s\n' "go$NETWORK_GO" "$("$GO" env GOVERSION)" | sort -V | head -1)" = "go$NETWORK_GO" ] ||
    die "the network's programs are built with Go $NETWORK_GO or later"
  say "source of $1 $2"
  rm -rf "$work" && mkdir -p "$work/out"
  copy_module "$1@$2" "$work/src"
}

# copy_module MODULE@VERSION FOLDER
copy_module() {
  local source
  mkdir -p "$work"
  [ -e "$work/go.mod" ] || printf 'module testbed\n' >"$work/go.mod"
  source=$(cd "$work" && "$GO" mod download -json "$1" 2>"$CACHE/programs.log" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  [ -d "$source" ] || { tail -5 "$CACHE/programs.log" >&2; die "Go's module proxy has no $1"; }
  mkdir -p "$(dirname "$2")"
  cp -r "$source" "$2" && chmod -R u+w "$2"
}

# compile NAME PACKAGE
compile() {
  (cd "$work/src" && nice "$GO" build -p 2 -trimpath -ldflags "-s -w" -o "$work/out/$1" "$2") >"$CACHE/programs.log" 2>&1 ||
    { tail -20 "$CACHE/programs.log" >&2; die "$1 can't be built"; }
  mv "$work/out/$1" "$PROGRAMS/$1"
  say "$1"
}

build_plugins() {
  source_of github.com/containernetworking/plugins "$CNI_PLUGINS"
  compile host-local ./plugins/ipam/host-local
  compile loopback ./plugins/main/loopback
  compile portmap ./plugins/meta/portmap
  compile bandwidth ./plugins/meta/bandwidth
}

# Omits the cloud backends, because the proxy lacks a dependency of one of them; the add-on uses vxlan.
build_flannel() {
  source_of github.com/flannel-io/flannel "$FLANNEL_TAG"
  sed -i '/pkg\/backend\/[a-z]/{/vxlan/!d}' "$work/src/main.go"
  compile flanneld .
}

# Omits plugins for cloud DNS services, other stores and tracing, which are half of the code to compile.
build_metrics() {
  source_of sigs.k8s.io/metrics-server "$METRICS_TAG"
  compile metrics-server ./cmd/metrics-server
}

build_coredns() {
  source_of github.com/coredns/coredns "$COREDNS_TAG"
  sed -i -E '/plugin\/(route53|azure|clouddns|etcd|trace|nomad|geoip|dnstap|sign)"/d' "$work/src/core/plugin/zplugin.go"
  compile coredns .
}

# Calico's repository contains three more modules, which it replaces with local directories. The programs here need the third only as a name in go.mod.
build_calico() {
  # The checksum database has no modules at such a commit; the proxy is accessed over TLS, as for all others.
  export GONOSUMDB='github.com/projectcalico/calico,github.com/projectcalico/calico/*'
  source_of github.com/projectcalico/calico "$CALICO_COMMIT"
  copy_module "github.com/projectcalico/calico/lib/std@$CALICO_COMMIT" "$work/src/lib/std"
  copy_module "github.com/projectcalico/api@$CALICO_API" "$work/src/api"
  mkdir -p "$work/src/lib/httpmachinery"
  printf 'module github.com/projectcalico/calico/lib/httpmachinery\n' >"$work/src/lib/httpmachinery/go.mod"
  compile calico ./cni-plugin/cmd/calico
  compile install ./cni-plugin/cmd/install
  compile calico-node ./node/cmd/calico-node
}
