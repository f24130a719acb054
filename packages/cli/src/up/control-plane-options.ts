import { dirname, resolve } from 'node:path';
import type { Clock } from '@fairway/base/clock';
import { ASSETS_VARIABLE } from '@fairway/control-plane/process/find-binaries';
import { findLocalBinaries } from '@fairway/control-plane/process/local-process-runtime';
import { chooseControlPlane } from '@fairway/service/up/choose-control-plane';
import {
  type ControlPlanes,
  type ControlPlanesOptions,
  processControlPlanes,
  simulatedControlPlanes,
  simulatedProcesses,
} from '@fairway/service/up/control-planes';
import type { Home } from '@fairway/service/up/home';
import { previousControlPlanes } from '@fairway/service/up/previous-control-planes';
import { openOffHost } from '../backup/open-off-host.ts';
import type { CliContext } from '../command/context.ts';
import type { FairwayCommandOptions } from '../commands/fairway-options.ts';

/**
 * Chooses how control planes run, reports the choice, and stores it in the home. With `areLeft`, all run as processes
 * that outlive this one.
 */
export async function controlPlaneOptions(
  { env, cwd, stderr, clock }: CliContext,
  options: Pick<
    FairwayCommandOptions,
    | 'cloud'
    | 'controlPlane'
    | 'controlPlaneAddress'
    | 'controlPlaneAllow'
    | 'controlPlaneUsers'
    | 'egressAllow'
    | 'egressDeny'
    | 'offHost'
    | 'snapshots'
  >,
  home: Home,
  areLeft: boolean,
): Promise<(options: ControlPlanesOptions) => ControlPlanes> {
  const { controlPlane: requestedMode, controlPlaneAddress: address } = options;
  const recordedMode = previousControlPlanes(home);
  const assets = env[ASSETS_VARIABLE];
  const binaries = (requestedMode ?? recordedMode) === 'simulated' ? [] : await findLocalBinaries(env, []);
  const found = binaries.map(({ version, paths }) => ({ version, folder: dirname(paths['kube-apiserver']) }));
  const hasRealCloud = options.cloud !== undefined;
  const { kind, note } = chooseControlPlane({
    requestedKind: requestedMode,
    existingKind: recordedMode,
    home: home.path,
    hasRealCloud,
    assets,
    found,
  });
  if (note !== undefined) stderr.write(`${note}\n`);
  const snapshotFolder = options.snapshots === undefined ? home.snapshots : resolve(cwd, options.snapshots);
  const egress = { allowed: options.egressAllow, denied: options.egressDeny };
  const simulated = areLeft
    ? simulatedProcesses({ env, address, egress })
    : (opening: ControlPlanesOptions) => simulatedControlPlanes(opening, egress);
  const users = options.controlPlaneUsers;
  const offHostFile = options.offHost && resolve(cwd, options.offHost);
  const offHost = offHostFile === undefined ? undefined : (clock: Clock) => openOffHost(offHostFile, clock);
  // Report problems before anything starts.
  await offHost?.(clock).store.close();
  if (offHost !== undefined && kind === 'simulated') {
    stderr.write('databases of simulated control planes are not copied to the object store\n');
  }
  const alwaysAllowed = options.controlPlaneAllow;
  const open =
    kind === 'process'
      ? processControlPlanes({
          env,
          address,
          snapshotFolder,
          users,
          egress,
          alwaysAllowed,
          offHost,
          keepRunning: areLeft,
        })
      : simulated;
  return (opening) => {
    home.write(home.controlPlaneKind, `${kind}\n`);
    return open(opening);
  };
}
