import { resolve } from 'node:path';
import { formatTime } from '@fairway/base/clock';
import { recoverControlPlanes } from '@fairway/control-plane/off-host/recover-control-planes';
import { binaryFolders } from '@fairway/control-plane/process/find-binaries';
import { commandRunner, findLocalBinaries } from '@fairway/control-plane/process/local-process-runtime';
import { storedBackups } from '@fairway/service/backup/stored-backups';
import { CommandError } from '@fairway/service/command-error';
import { Home, HomeInUseError, identifyProcess, lockHome } from '@fairway/service/up/home';
import { homePath } from '../client/choose-kubeconfig.ts';
import type { CliContext } from '../command/context.ts';
import { openOffHost } from './open-off-host.ts';

export interface RecoverOptions {
  readonly home?: string;
  readonly offHost: string;
  readonly snapshots?: string;
  readonly list?: boolean;
}

/** Restores the databases of all clusters from an object store into a home that lacks them. */
export async function runRecover(context: CliContext, options: RecoverOptions): Promise<void> {
  const { clock, cwd, env, stdout, stderr } = context;
  const offHost = openOffHost(resolve(cwd, options.offHost), clock);
  await using closing = new AsyncDisposableStack();
  closing.defer(() => offHost.store.close());
  if (options.list) {
    for (const { name } of await storedBackups(offHost)) stdout.write(`backup   ${name}\n`);
    for (const { clusterUid, name } of await offHost.snapshots.list()) stdout.write(`snapshot ${clusterUid} ${name}\n`);
    return;
  }
  process.umask(0o077);
  const home = new Home(homePath(options.home, env, cwd));
  home.create();
  closing.defer(lock(home));
  stderr.write(`reading ${offHost.store.description}\n`);
  const recovery = recoverControlPlanes({
    archive: offHost.snapshots,
    folder: home.controlPlanes,
    snapshotFolder: options.snapshots === undefined ? home.snapshots : resolve(cwd, options.snapshots),
    binaries: await findLocalBinaries(env, []),
    toolFolders: binaryFolders(env, []),
    run: commandRunner(env),
  });
  let count = 0;
  for await (const { clusterUid, name, takenAtMs, outcome } of recovery) {
    count++;
    const what =
      outcome === 'kept' ? 'exists already and was not changed' : `was taken at ${formatTime(takenAtMs)} (${name})`;
    stdout.write(`cluster ${clusterUid} ${what}\n`);
  }
  if (count === 0) throw new CommandError(`${offHost.store.description} contains no snapshot of a cluster`);
  home.write(home.controlPlaneKind, 'process\n');
}

function lock(home: Home): () => void {
  try {
    return lockHome(home, identifyProcess(process.pid) ?? { pid: process.pid, started: '' }, identifyProcess);
  } catch (error) {
    if (error instanceof HomeInUseError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}
