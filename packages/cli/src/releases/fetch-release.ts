import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '@fairway/base/clock';
import { releaseFolder } from '@fairway/control-plane/process/fetched-releases';
import { syncFolder, syncTree } from '@fairway/control-plane/process/files';
import { CommandError } from '@fairway/service/command-error';
import type { Step } from '../progress/step.ts';
import { type Checksum, download, readText } from './download.ts';
import {
  binaryFiles,
  ETCD_BINARIES,
  etcdArchive,
  KUBERNETES_BINARIES,
  knownPatches,
  type Mirrors,
  type ReleaseFile,
  type ReleaseRequest,
} from './release-files.ts';

export interface FetchOptions {
  readonly request: ReleaseRequest;
  readonly mirrors: Mirrors;
  /** Contains a directory for each release. */
  readonly releases: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly show: (steps: readonly Step[]) => void;
}

/**
 * Downloads the binaries of a release into a directory, which gets its final name once all are complete and verified.
 * Reuses files from earlier attempts. Resolves with the directory. Throws a CommandError.
 */
export async function fetchRelease(options: FetchOptions): Promise<string> {
  const { request, mirrors, releases } = options;
  const target = releaseFolder(releases, request.version);
  if (existsSync(target)) return target;
  const draft = join(releases, `.v${request.version}-${request.architecture}.draft`);
  mkdirSync(draft, { recursive: true, mode: 0o755 });
  const archive = etcdArchive(request, mirrors);
  const files = [...binaryFiles(request, mirrors), archive];
  const progress = new Map<string, Step>(
    files.map(({ name }) => [name, { key: name, title: name, state: 'waiting', detail: '' }]),
  );
  const show = (name: string, state: Step['state'], detail: string) => {
    progress.set(name, { key: name, title: name, state, detail });
    options.show([...progress.values()]);
  };
  for (const file of files) {
    show(file.name, 'running', '');
    const checksum = await checksumOf(file, options);
    const onProgress = (bytes: number, total: number | undefined) => show(file.name, 'running', share(bytes, total));
    await download(file.url, join(draft, file.name), checksum, { ...options, onProgress });
    show(file.name, 'done', `${checksum.algorithm} is right`);
  }
  await unpack(draft, archive.name);
  for (const name of [...KUBERNETES_BINARIES, ...ETCD_BINARIES]) chmodSync(join(draft, name), 0o755);
  rmSync(join(draft, archive.name));
  await syncTree(draft);
  renameSync(draft, target);
  await syncFolder(releases);
  return target;
}

/** In steps of 10%, to limit the number of log lines. */
function share(bytes: number, total: number | undefined): string {
  if (total === undefined) return '';
  const tenths = Math.floor((bytes / total) * 10);
  return `${tenths * 10} % of ${Math.ceil(total / 2 ** 20)} MiB`;
}

async function checksumOf(file: ReleaseFile, options: FetchOptions): Promise<Checksum> {
  for (const { url, algorithm, entry } of file.sums) {
    const text = await readText(url, options);
    if (text === undefined) continue;
    const line =
      entry === undefined ? text : text.split('\n').find((candidate) => candidate.trim().endsWith(` ${entry}`));
    const hex = line?.trim().split(/\s/)[0]?.toLowerCase() ?? '';
    if (hex.length === (algorithm === 'sha512' ? 128 : 64) && /^[0-9a-f]+$/.test(hex)) return { algorithm, hex };
    throw new CommandError(`${url} contains no ${algorithm} of ${file.name}`, {
      advice: 'the mirror returns something else: use another one with --mirror',
    });
  }
  throw notFoundError(file, options);
}

function notFoundError(file: ReleaseFile, { request, mirrors }: FetchOptions): CommandError {
  const isEtcd = file.name.startsWith('etcd-');
  if (isEtcd) {
    return new CommandError(`${mirrors.etcd} has no etcd ${request.etcd} for linux/${request.architecture}`, {
      advice: 'name another version with --etcd',
    });
  }
  const known = knownPatches(request.version);
  const advice = known.length === 0 ? 'choose a released version' : `Fairway knows ${known[0]} to ${known.at(-1)}`;
  return new CommandError(
    `${mirrors.kubernetes} has no Kubernetes ${request.version} for linux/${request.architecture}`,
    { advice },
  );
}

/** Extracts the binaries from etcd's archive, which contains them in one directory; its checksum has been verified. */
async function unpack(draft: string, archive: string): Promise<void> {
  const archiveRoot = archive.replace(/\.tar\.gz$/, '');
  const members = ETCD_BINARIES.map((name) => `${archiveRoot}/${name}`);
  try {
    await promisify(execFile)('tar', ['-xzf', archive, '--strip-components=1', '--no-same-owner', ...members], {
      cwd: draft,
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(`cannot unpack ${archive}: ${message.trim()}`, {
      advice:
        code === 'ENOENT' ? 'install tar and gzip' : 'free some space if the disk is full, then run the command again',
      cause: error,
    });
  }
}
