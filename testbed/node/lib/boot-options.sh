# shellcheck shell=bash disable=SC2034
# The options of `boot`, for hosts and virtual machines.

# read_boot_options KIND NAME OPTION...: sets the variables with these names, which the caller must declare as local.
read_boot_options() {
  local kind=$1
  name=${2:?NAME} address="" gateway="" mac="" user_data="" image=debian-12-containerd server="" zone="" vcpus=1 memory=2048 disk=10
  shift 2
  while [ $# -gt 0 ]; do
    case "$1" in
      --address) address=$2 ;;
      --gateway) gateway=$2 ;;
      --mac) mac=$2 ;;
      --user-data) user_data=$2 ;;
      --image) image=$2 ;;
      --server) server=$2 ;;
      --zone) zone=$2 ;;
      --vcpus) vcpus=$2 ;;
      --memory) memory=$2 ;;
      --disk) disk=$2 ;;
      *) die "boot: $1 is no option" ;;
    esac
    shift 2
  done
  [[ $name =~ ^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$ ]] || die "boot: '$name' is no name of a $kind"
  [[ $address == */* && -n $gateway && -r $user_data ]] || die "boot: --address A/P, --gateway and a readable --user-data are needed"
  mac=${mac:-02:$(echo -n "$name" | sha256sum | sed -E 's/^(..)(..)(..)(..)(..).*/\1:\2:\3:\4:\5/')}
}
