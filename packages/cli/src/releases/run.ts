import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { releasesFolder } from '@fairway/control-plane/process/fetched-releases';
import { findLocalBinaries } from '@fairway/control-plane/process/local-process-runtime';
import { CommandError } from '@fairway/service/command-error';
import { Home, HomeInUseError, identifyProcess, lockHome } from '@fairway/service/up/home';
import type { CliContext } from '../command/context.ts';
import { alignColumns } from '../output/table.ts';
import { openReporter } from '../progress/open-reporter.ts';
import { fetchRelease } from './fetch-release.ts';
import { mirrorsAt, releaseRequest } from './release-files.ts';

export async function runFetch(
  context: CliContext,
  version: string,
  options: { readonly mirror?: string; readonly etcd?: string },
): Promise<void> {
  const { env, clock, signal, stdout } = context;
  const request = releaseRequest(version, options.etcd, process);
  const mirrors = mirrorsAt(options.mirror);
  const releases = releasesFolder(env);
  mkdirSync(releases, { recursive: true });
  const unlock = lockReleases(releases);
  const reporter = await openReporter(context);
  let folder: string | undefined;
  try {
    const show = reporter.show.bind(reporter);
    folder = await fetchRelease({ request, mirrors, releases, fetch, clock, signal, show });
  } finally {
    reporter.end(folder === undefined ? 'failed' : 'reached');
    unlock();
  }
  stdout.write(`Kubernetes ${request.version} is in ${folder}\n`);
}

/** Allows only one run at a time: concurrent runs would write the same files. */
function lockReleases(releases: string): () => void {
  const self = identifyProcess(process.pid);
  if (self === undefined) throw new Error('this process cannot be identified');
  try {
    return lockHome(new Home(releases), self, identifyProcess);
  } catch (error) {
    if (!(error instanceof HomeInUseError)) throw error;
    throw new CommandError(`another process is fetching releases into ${releases}`, {
      advice: 'wait until it has finished',
      cause: error,
    });
  }
}

export async function listReleases({ env, stdout, stderr }: CliContext): Promise<void> {
  const found = await findLocalBinaries(env, []);
  if (found.length === 0) {
    stderr.write('No releases found. Download one with "fairway releases fetch VERSION".\n');
    return;
  }
  const rows = found.map(({ version, paths }) => [version, dirname(paths['kube-apiserver']), paths.etcd]);
  stdout.write(alignColumns([['VERSION', 'FOLDER', 'ETCD'], ...rows]));
}
