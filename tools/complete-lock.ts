/**
 * `npm ci` wants every optional platform package in the lock file, also those of platforms for which the registry at hand holds
 * no build (npm/cli#4828). `npm install` leaves these out; this adds them, by name and version, so that the lock installs everywhere.
 *
 * It also takes away `engines`: npm checks them against the Node that runs npm, and silently leaves out optional packages, native
 * parts of tools among them, where that is an older one. Whatever runs npm, what is installed runs on the repository's own Node.
 *
 * Run after `npm install`: `npm run lock`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface LockedPackage {
  version?: string;
  optional?: boolean;
  engines?: object;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const OPERATING_SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64', 'arm'];

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, LockedPackage> };
let added = 0;
for (const locked of Object.values(lock.packages)) {
  delete locked.engines;
  for (const [name, version] of Object.entries(locked.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    if (lock.packages[path] !== undefined) continue;
    const words = name.split(/[-/]/);
    lock.packages[path] = {
      version: version.replace(/^[\^~]/, ''),
      optional: true,
      os: [OPERATING_SYSTEMS.find((os) => words.includes(os)) ?? 'none'],
      cpu: [PROCESSORS.find((cpu) => words.includes(cpu)) ?? 'none'],
      ...(words.some((word) => word.startsWith('musl')) && { libc: ['musl'] }),
    };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`package-lock.json: ${added} platform packages added\n`);
