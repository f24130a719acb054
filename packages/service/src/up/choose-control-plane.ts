import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { ASSETS_VARIABLE } from '@fairway/control-plane/process/find-binaries';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-code.ts';

export type ControlPlaneKind = 'simulated' | 'process';

export interface ControlPlaneChoiceInputs {
  /** `--control-plane`. */
  readonly asked: ControlPlaneKind | undefined;
  /** What the home's existing clusters run on. */
  readonly remembered: ControlPlaneKind | undefined;
  readonly home: string;
  /** KUBEBUILDER_ASSETS. */
  readonly assets: string | undefined;
  /** Kubernetes versions with binaries on this machine, and where; the preferred one first. */
  readonly found: readonly { readonly version: string; readonly folder: string }[];
}

export interface ControlPlaneChoice {
  readonly kind: ControlPlaneKind;
  /** A note about the choice for the user. */
  readonly note: string | undefined;
}

/** How clusters' control planes run: as requested, else as the existing ones, else as processes if there are binaries of an offered release. */
export function chooseControlPlane({
  asked,
  remembered,
  home,
  assets,
  found,
}: ControlPlaneChoiceInputs): ControlPlaneChoice {
  if (asked !== undefined && remembered !== undefined && asked !== remembered) {
    throw new CommandError(
      `the control planes of ${home} are of kind ${remembered}, and their data cannot be migrated`,
      {
        exitCode: ExitCode.Usage,
        advice: 'leave --control-plane out, or choose another folder with --home',
      },
    );
  }
  const offered = found.filter(({ version }) => isOffered(version));
  const wanted = asked ?? remembered;
  if (wanted === 'simulated') return { kind: 'simulated', note: undefined };
  if (offered.length > 0) {
    const programs = offered.map(({ version, folder }) => `${version} (${folder})`).join(', ');
    const why = wanted ? '' : '; --control-plane simulated needs none';
    return { kind: 'process', note: `control planes run as processes with Kubernetes ${programs}${why}` };
  }
  if (wanted === 'process') throw missingPrograms(found);
  const note = assets && `control planes are simulated: ${ASSETS_VARIABLE} does not hold all of ${PROGRAMS}`;
  return { kind: 'simulated', note: note || undefined };
}

const PROGRAMS = 'etcd, kube-apiserver, kube-controller-manager and kube-scheduler';

function missingPrograms(found: ControlPlaneChoiceInputs['found']): CommandError {
  const newest = SHIPPED_RELEASES.at(-1)?.spec.patches.at(-1)?.version;
  const versions = found.map(({ version }) => version).join(', ');
  return new CommandError(
    found.length === 0
      ? `there is no folder with ${PROGRAMS}`
      : `there are programs of Kubernetes ${versions}, which Fairway does not offer`,
    {
      exitCode: ExitCode.Usage,
      advice: `download them with "fairway releases fetch ${newest}", name their folder in ${ASSETS_VARIABLE}, or put them on PATH`,
    },
  );
}

function isOffered(version: string): boolean {
  return SHIPPED_RELEASES.some(({ spec }) => version.startsWith(`${spec.minor}.`));
}
