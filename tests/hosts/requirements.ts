import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** What this machine lacks to boot hosts of testbed/node; empty where it has all. */
export function hostsLack(): string[] {
  return [
    ...(process.getuid?.() === 0 ? [] : ['root']),
    ...(canMakeNamespaces() ? [] : ['right to namespaces']),
    ...(hasCgroups() ? [] : ['cgroups']),
    ...(existsSync('/dev/kmsg') ? [] : ['/dev/kmsg']),
    ...(isDebian12() ? [] : ['Debian 12']),
  ];
}

function canMakeNamespaces(): boolean {
  return spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'true']).status === 0;
}

function isDebian12(): boolean {
  const file = '/etc/os-release';
  return existsSync(file) && /^VERSION_CODENAME=bookworm$/m.test(readFileSync(file, 'utf8'));
}

function hasCgroups(): boolean {
  return existsSync('/proc/mounts') && / cgroup2? /.test(readFileSync('/proc/mounts', 'utf8'));
}
