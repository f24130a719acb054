import type { ClusterStatus } from '../kinds/cluster.ts';

type CniInstaller = NonNullable<ClusterStatus['cniInstaller']>;

/** The pod networks that Fairway installs. */
const INSTALLED = ['canal', 'cilium'] as const;
export type InstalledCni = (typeof INSTALLED)[number];

/** Whether Fairway installs this pod network in new clusters. */
export function isCniInstalled(cni: string | undefined): cni is InstalledCni {
  return INSTALLED.some((each) => each === cni);
}

/**
 * Who installs the pod network `cni` of a cluster. It is decided once, before anything can be in the cluster: one that has run and does not know is of
 * a release that did not install it, and its tenant did. Pure.
 */
export function cniInstaller(
  status: Pick<ClusterStatus, 'cniInstaller' | 'version'> | undefined,
  cni: string,
): CniInstaller {
  if (status?.cniInstaller !== undefined) return status.cniInstaller;
  return isCniInstalled(cni) && status?.version === undefined ? 'Fairway' : 'Tenant';
}

/**
 * Who installs the pod network of a cluster in which `found`, of Fairway's making, is found. A release that installed none, brought back for a while, may
 * have let go that it was decided, and then it is taken for a cluster of that release. Pure.
 */
export function installerOfFound(
  status: Pick<ClusterStatus, 'cni' | 'cniInstaller'>,
  found: InstalledCni,
): CniInstaller | undefined {
  return status.cni === found && status.cniInstaller === 'Tenant' ? 'Fairway' : status.cniInstaller;
}
