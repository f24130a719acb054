import { ASSETS_VARIABLE } from '@fairway/control-plane/process/find-binaries';
import { CliError } from '../command/cli-error.ts';
import { ExitCode } from '../command/exit-code.ts';

export type ControlPlaneKind = 'simulated' | 'process';

export interface ControlPlaneChoiceInputs {
  /** `--control-plane`. */
  readonly asked: ControlPlaneKind | undefined;
  /** What the clusters of the home run on already. */
  readonly remembered: ControlPlaneKind | undefined;
  readonly home: string;
  /** KUBEBUILDER_ASSETS. */
  readonly assets: string | undefined;
  /** Kubernetes versions whose binaries are on this machine. */
  readonly versions: readonly string[];
}

export interface ControlPlaneChoice {
  readonly kind: ControlPlaneKind;
  /** What a person should know of the choice. */
  readonly note: string | undefined;
}

/** How clusters' control planes run: as asked, else as those that are there, else as processes where KUBEBUILDER_ASSETS says with what. */
export function chooseControlPlane(inputs: ControlPlaneChoiceInputs): ControlPlaneChoice {
  const { asked, remembered, home, assets, versions } = inputs;
  if (asked !== undefined && remembered !== undefined && asked !== remembered) {
    throw new CliError(
      `the control planes of ${home} are of kind ${remembered}, and their data can't be carried over`,
      {
        exitCode: ExitCode.Usage,
        advice: 'leave --control-plane out, or choose another folder with --home',
      },
    );
  }
  const kind = asked ?? remembered ?? (assets ? 'process' : 'simulated');
  if (kind === 'simulated') return { kind, note: undefined };
  if (versions.length > 0) {
    const why = (asked ?? remembered) ? '' : `, as ${ASSETS_VARIABLE} is set (--control-plane simulated does without)`;
    return { kind, note: `control planes run as processes with Kubernetes ${versions.join(', ')}${why}` };
  }
  const missing = 'etcd, kube-apiserver, kube-controller-manager and kube-scheduler';
  if (asked ?? remembered) {
    throw new CliError(`there is no folder with ${missing}`, {
      exitCode: ExitCode.Usage,
      advice: `name one in ${ASSETS_VARIABLE}, or put them on PATH`,
    });
  }
  return {
    kind: 'simulated',
    note: `control planes are simulated: ${ASSETS_VARIABLE} does not hold all of ${missing}`,
  };
}
