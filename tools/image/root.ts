import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** A user ID that is unused elsewhere, as in distroless images; the chart uses the same ID. */
export const USER = 65_532;

export interface RootOptions {
  readonly repository: string;
  /** The image's Node binary, for this machine's architecture. */
  readonly node: string;
  /** An empty directory for the root file system. */
  readonly root: string;
}

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** Files of the package's libraries that are not needed at run time. */
const UNUSED_FILES = /\.(d\.[cm]?ts|ts|map|md)$|\/(test|tests|docs|example|examples|benchmarks?)\//;

/** Creates the image's files: Node with the libraries that it loads from this Debian, CA certificates, and the built package in `dist`. */
export function makeRoot({ repository, node, root }: RootOptions): void {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const copy = (source: string, path: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(realpathSync(source), join(root, path));
  };
  copy(node, 'usr/bin/node');
  chmodSync(join(root, 'usr/bin/node'), 0o755);
  for (const library of librariesOf(node)) copy(library, library);
  for (const owner of debianPackages(librariesOf(node))) {
    copy(`/usr/share/doc/${owner}/copyright`, `usr/share/doc/${owner}/copyright`);
  }
  copy(CERTIFICATES, CERTIFICATES);
  copy('/usr/share/doc/ca-certificates/copyright', 'usr/share/doc/ca-certificates/copyright');
  put(
    'etc/passwd',
    `root:x:0:0:root:/:/sbin/nologin\nfairway:x:${USER}:${USER}:Fairway:/var/lib/fairway:/sbin/nologin\n`,
  );
  put('etc/group', `root:x:0:\nfairway:x:${USER}:\n`);
  put('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n');
  put('etc/os-release', 'ID=fairway\nNAME=Fairway\nID_LIKE=debian\n');
  for (const folder of ['proc', 'sys', 'dev', 'tmp', 'etc/fairway']) mkdirSync(join(root, folder), { recursive: true });

  const program = join(root, 'opt/fairway');
  cpSync(join(repository, 'dist'), join(program, 'dist'), { recursive: true });
  for (const file of ['package.json', 'LICENSE']) copyFileSync(join(repository, file), join(program, file));
  for (const path of productionPackages(repository)) {
    cpSync(join(repository, path), join(program, path), {
      recursive: true,
      filter: (source) =>
        !UNUSED_FILES.test(source.slice(repository.length)) && !isNested(source, join(repository, path)),
    });
  }
}

/** Nested packages are listed separately. */
function isNested(source: string, folder: string): boolean {
  return source.slice(folder.length).startsWith('/node_modules');
}

/** The dynamic linker and the libraries that it loads for a binary. */
function librariesOf(program: string): string[] {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  return [...listed.matchAll(/(?:=> |^\s*)(\/\S+) \(/gm)].map(([, path = '']) => path);
}

/** The Debian packages that contain the files; merged directories can have either name. */
function debianPackages(files: readonly string[]): string[] {
  const names = files.flatMap((file) => {
    const candidates = [
      file,
      realpathSync(file),
      file.replace(/^\/lib/, '/usr/lib'),
      realpathSync(file).replace(/^\/usr/, ''),
    ];
    for (const candidate of candidates) {
      const owner = ownerOf(candidate);
      if (owner !== undefined) return [owner];
    }
    throw new Error(`${file} belongs to no package of this Debian`);
  });
  return [...new Set(names)].sort((a, b) => a.localeCompare(b));
}

function ownerOf(file: string): string | undefined {
  try {
    const output = execFileSync('dpkg-query', ['-S', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return output.split(':')[0];
  } catch {
    return undefined;
  }
}

interface LockedDependency {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

/** The directories of the package's dependencies, from the lock file. */
function productionPackages(repository: string): string[] {
  const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedDependency>>;
  };
  return Object.entries(lock.packages)
    .filter(
      ([path, { dev, optional, devOptional, link }]) =>
        path.startsWith('node_modules/') && !(dev || optional || devOptional || link),
    )
    .map(([path]) => path)
    .filter((path) => existsSync(join(repository, path)));
}
