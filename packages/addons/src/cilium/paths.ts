/** Mounts of node directories in Cilium's pods. */

export const BPF_ROOT = '/sys/fs/bpf';
/** systemd's. */
export const CGROUP_ROOT = '/sys/fs/cgroup';
export const RUN_FOLDER = '/var/run/cilium';
export const CNI_BIN_FOLDER = '/opt/cni/bin';
export const CNI_CONFIG_FOLDER = '/etc/cni/net.d';
export const CNI_CONFIG_MOUNT = `/host${CNI_CONFIG_FOLDER}`;
export const HOST_PROC = '/host/proc';
/** The settings assembled by the first container, in the directory that it shares with the agent. */
export const SETTINGS_FOLDER = '/tmp/cilium/config-map';
