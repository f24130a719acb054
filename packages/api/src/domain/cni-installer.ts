import type { ClusterStatus } from '../kinds/cluster.ts';

type CniInstaller = NonNullable<ClusterStatus['cniInstaller']>;

/** The pod networks that Fairway installs. */
const INSTALLED_CNIS = ['canal', 'cilium'] as const;
export type InstalledCni = (typeof INSTALLED_CNIS)[number];

/** Whether Fairway installs this pod network in new clusters. */
export function isCniInstalled(cni: string | undefined): cni is InstalledCni {
  return INSTALLED_CNIS.some((each) => each === cni);
}

/**
 * Who installs a cluster's pod network `cni`. This is decided once, before the cluster can contain anything: a running
 * cluster without a decision dates from a release that left this to the tenant. Pure.
 */
export function cniInstaller(
  status: Pick<ClusterStatus, 'cniInstaller' | 'version'> | undefined,
  cni: string,
): CniInstaller {
  if (status?.cniInstaller !== undefined) return status.cniInstaller;
  return isCniInstalled(cni) && status?.version === undefined ? 'Fairway' : 'Tenant';
}

/**
 * Who installs the pod network in a cluster that contains `found`, a pod network installed by Fairway. A temporary
 * downgrade to a release that installed no pod network may have dropped the decision; the cluster then looks as if it
 * had been created by that release. Pure.
 */
export function detectedInstaller(
  status: Pick<ClusterStatus, 'cni' | 'cniInstaller'>,
  found: InstalledCni,
): CniInstaller | undefined {
  return status.cni === found && status.cniInstaller === 'Tenant' ? 'Fairway' : status.cniInstaller;
}
