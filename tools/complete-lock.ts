/**
 * `npm ci` requires every optional platform package in the lock file, including those for other platforms, which `npm
 * install` omits if packages are installed (npm/cli#4828). In an empty directory, npm lists all of them: the missing
 * ones are taken from there, each with its content hash.
 *
 * This also removes `engines`: npm checks them against the Node that runs npm, and with an older one silently omits
 * optional packages, such as native parts of tools. Installed packages always run on the repository's own Node.
 *
 * Run after `npm install`: `npm run lock`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  engines?: object;
}

interface Lock {
  packages: Record<string, LockedPackage>;
}

function lockIn(folder: string): Lock {
  return JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as Lock;
}

/** Resolved in a separate directory, so that installed packages have no effect. */
function lockOf(name: string, version: string): Lock {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-lock-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: { [name]: version } }));
    const options = ['package-lock-only', 'omit-lockfile-registry-resolved', 'ignore-scripts', 'no-audit', 'no-fund'];
    execFileSync('npm', ['install', ...options.map((option) => `--${option}`)], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return lockIn(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** In the order that npm writes. */
function inOrder({ version, integrity, ...others }: LockedPackage): LockedPackage {
  const sorted = Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...(version && { version }), ...(integrity && { integrity }), ...Object.fromEntries(sorted) };
}

const lock = lockIn('.');
let completed = 0;
for (const [path, { version = '', dev, optionalDependencies = {} }] of Object.entries(lock.packages)) {
  const isComplete = (name: string) => lock.packages[`node_modules/${name}`]?.integrity !== undefined;
  if (path === '' || Object.keys(optionalDependencies).every(isComplete)) continue;
  const resolved = lockOf(path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), version);
  for (const [name, range] of Object.entries(optionalDependencies)) {
    const place = `node_modules/${name}`;
    const found = resolved.packages[place];
    if (isComplete(name)) continue;
    if (found?.integrity === undefined) throw new Error(`${name} ${range}, which ${path} may need, has no hash`);
    lock.packages[place] = inOrder({ ...found, ...(dev && { dev }) });
    completed++;
  }
}
for (const locked of Object.values(lock.packages)) delete locked.engines;
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`package-lock.json: ${completed} platform packages completed\n`);
