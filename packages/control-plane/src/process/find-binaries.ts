import { join } from 'node:path';
import { type Component, perComponent } from './components.ts';
import { foldersOnPath } from './executables.ts';
import { fetchedReleases, releasesFolder } from './fetched-releases.ts';

export type BinaryPaths = Readonly<Record<Component, string>>;

/** The binaries of one Kubernetes version, with an etcd. */
export interface Binaries {
  /** Exact version, such as `1.34.2`. */
  readonly version: string;
  readonly paths: BinaryPaths;
}

/** The ecosystem's environment variable for a directory of control-plane binaries (controller-runtime's envtest). */
export const ASSETS_VARIABLE = 'KUBEBUILDER_ASSETS';

/** Directories to search, in order: KUBEBUILDER_ASSETS, fetched releases, PATH. */
export function binaryFolders(
  env: Readonly<Record<string, string | undefined>>,
  additionalFolders: readonly string[],
): readonly string[] {
  const fetched = fetchedReleases(releasesFolder(env));
  return [...new Set([env[ASSETS_VARIABLE] ?? '', ...fetched, ...foldersOnPath(env), ...additionalFolders])].filter(
    (folder) => folder !== '',
  );
}

export interface BinaryLookup {
  readonly folders: readonly string[];
  readonly isExecutable: (path: string) => boolean;
  /** Standard output of a command. */
  readonly run: (command: string, args: readonly string[]) => Promise<string>;
}

/**
 * Every set of binaries in the directories. Kubernetes binaries come from one directory, so that their versions match.
 * etcd comes from the same directory, or otherwise from the first one that contains it.
 */
export async function findBinaries({ folders, isExecutable, run }: BinaryLookup): Promise<readonly Binaries[]> {
  const found: Binaries[] = [];
  for (const folder of folders) {
    const paths = perComponent((component) => join(folder, component));
    const etcd = [folder, ...folders].map((candidate) => join(candidate, 'etcd')).find(isExecutable);
    const { etcd: _, ...kubernetes } = paths;
    if (etcd === undefined || !Object.values(kubernetes).every(isExecutable)) continue;
    const version = await versionOf(paths['kube-apiserver'], run);
    if (version !== undefined) found.push({ version, paths: { ...paths, etcd } });
  }
  return found;
}

/** Undefined for binaries that cannot run here, such as those for another architecture. */
async function versionOf(binary: string, run: BinaryLookup['run']): Promise<string | undefined> {
  try {
    return /v(\d+\.\d+\.\d+)/.exec(await run(binary, ['--version']))?.[1];
  } catch {
    return undefined;
  }
}

/**
 * The binaries for a version: those of the exact version, or otherwise of the newest patch of the same minor version,
 * which the state then reports.
 */
export function chooseBinaries(found: readonly Binaries[], version: string): Binaries | undefined {
  const exact = found.find((candidate) => candidate.version === version);
  if (exact) return exact;
  const [major, minor] = version.split('.');
  return found
    .filter((candidate) => candidate.version.startsWith(`${major}.${minor}.`))
    .sort((a, b) => patchOf(b) - patchOf(a))[0];
}

function patchOf({ version }: Binaries): number {
  return Number(version.split('.')[2]);
}

/** The message if there are no binaries for a version. */
export function missingBinariesMessage(found: readonly Binaries[], version: string): string {
  const versions = found.map((candidate) => candidate.version).join(', ');
  return versions === ''
    ? `etcd, kube-apiserver, kube-controller-manager and kube-scheduler are neither in ${ASSETS_VARIABLE} nor on PATH: "fairway releases fetch ${version}" downloads them`
    : `binaries of Kubernetes ${versions} are available, but none of ${version}: "fairway releases fetch ${version}" downloads them`;
}
