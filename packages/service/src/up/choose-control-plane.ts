import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { ASSETS_VARIABLE } from '@fairway/control-plane/process/find-binaries';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-code.ts';

export type ControlPlaneKind = 'simulated' | 'process';

export interface ControlPlaneChoiceInputs {
  /** `--control-plane`. */
  readonly requestedKind: ControlPlaneKind | undefined;
  /** Kind of the control planes that clusters in the home already use. */
  readonly existingKind: ControlPlaneKind | undefined;
  readonly home: string;
  /** Whether the nodes are servers of a real cloud. */
  readonly hasRealCloud?: boolean;
  /** KUBEBUILDER_ASSETS. */
  readonly assets: string | undefined;
  /** Kubernetes versions with binaries on this machine, and their directories; the preferred version first. */
  readonly found: readonly { readonly version: string; readonly folder: string }[];
}

export interface ControlPlaneChoice {
  readonly kind: ControlPlaneKind;
  /** A note about the choice for the user. */
  readonly note: string | undefined;
}

/**
 * How clusters' control planes run: as requested, or else like the existing ones, or else as processes if binaries
 * for an offered release exist.
 */
export function chooseControlPlane({
  requestedKind,
  existingKind,
  home,
  hasRealCloud = false,
  assets,
  found,
}: ControlPlaneChoiceInputs): ControlPlaneChoice {
  if (requestedKind !== undefined && existingKind !== undefined && requestedKind !== existingKind) {
    throw new CommandError(
      `the control planes of ${home} are of kind ${existingKind}, and their data cannot be migrated`,
      {
        exitCode: ExitCode.Usage,
        advice: 'omit --control-plane, or use another folder with --home',
      },
    );
  }
  const offeredEngines = found.filter(({ version }) => isOffered(version));
  const selectedKind = requestedKind ?? existingKind;
  if (selectedKind === 'simulated') return { kind: 'simulated', note: undefined };
  if (offeredEngines.length > 0) {
    const engines = offeredEngines.map(({ version, folder }) => `${version} (${folder})`).join(', ');
    const why = selectedKind ? '' : '; --control-plane simulated requires none';
    return { kind: 'process', note: `control planes run as processes with Kubernetes ${engines}${why}` };
  }
  if (selectedKind === 'process') throw missingBinaries(found);
  if (assets) {
    return {
      kind: 'simulated',
      note: `control planes are simulated: ${ASSETS_VARIABLE} does not contain all of ${BINARIES}`,
    };
  }
  return { kind: 'simulated', note: hasRealCloud ? DEMO_HINT : undefined };
}

const newestPatch = () => SHIPPED_RELEASES.at(-1)?.spec.patches.at(-1)?.version;

const DEMO_HINT = `control planes are simulated, for evaluation only: this machine has no Kubernetes binaries; "fairway releases fetch ${newestPatch()}" downloads them; run it before you create the first cluster`;

const BINARIES = 'etcd, kube-apiserver, kube-controller-manager and kube-scheduler';

function missingBinaries(found: ControlPlaneChoiceInputs['found']): CommandError {
  const versions = found.map(({ version }) => version).join(', ');
  return new CommandError(
    found.length === 0
      ? `no folder contains ${BINARIES}`
      : `the available binaries are of Kubernetes ${versions}, which Fairway does not support`,
    {
      exitCode: ExitCode.Usage,
      advice: `download them with "fairway releases fetch ${newestPatch()}", set ${ASSETS_VARIABLE} to their folder, or put them on PATH`,
    },
  );
}

function isOffered(version: string): boolean {
  return SHIPPED_RELEASES.some(({ spec }) => version.startsWith(`${spec.minor}.`));
}
