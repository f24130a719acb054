import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** What this machine lacks to boot testbed/node's hosts; empty if nothing is missing. */
export function missingForHosts(): string[] {
  return [
    ...(process.getuid?.() === 0 ? [] : ['root']),
    ...(canMakeNamespaces() ? [] : ['right to namespaces']),
    ...(hasCgroups() ? [] : ['cgroups']),
    ...(existsSync('/dev/kmsg') ? [] : ['/dev/kmsg']),
    ...(isDebian12() ? [] : ['Debian 12']),
  ];
}

/**
 * Without this capability the kernel refuses to grow a mounted ext4 file system. The number is from linux/capability.h.
 */
export const CAP_SYS_RESOURCE = 24;

/** Whether processes on this machine can have a capability. */
export function hasCapability(number: number): boolean {
  const [, held = '0'] = /^CapBnd:\s*(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return ((BigInt(`0x${held}`) >> BigInt(number)) & 1n) === 1n;
}

function canMakeNamespaces(): boolean {
  return spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'true']).status === 0;
}

export function isDebian12(): boolean {
  const file = '/etc/os-release';
  return existsSync(file) && /^VERSION_CODENAME=bookworm$/m.test(readFileSync(file, 'utf8'));
}

function hasCgroups(): boolean {
  return existsSync('/proc/mounts') && / cgroup2? /.test(readFileSync('/proc/mounts', 'utf8'));
}
