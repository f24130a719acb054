import type { ClusterStatus } from '../kinds/cluster.ts';

type CniInstaller = NonNullable<ClusterStatus['cniInstaller']>;

/** The pod networks that Fairway installs. */
const INSTALLED: readonly string[] = ['canal'];

/** Whether Fairway installs this pod network in new clusters. */
export function isCniInstalled(cni: string | undefined): boolean {
  return cni !== undefined && INSTALLED.includes(cni);
}

/**
 * Who installs the pod network `cni` of a cluster. It is decided once, before anything can be in the cluster: one that has run and does not know is of
 * a release that installed none, and its tenant did. Pure.
 */
export function cniInstaller(
  status: Pick<ClusterStatus, 'cniInstaller' | 'version'> | undefined,
  cni: string,
): CniInstaller {
  if (status?.cniInstaller !== undefined) return status.cniInstaller;
  return isCniInstalled(cni) && status?.version === undefined ? 'Fairway' : 'Tenant';
}

/**
 * Who installs the pod network of a cluster that Fairway's Canal is found in. A release that installed none, brought back for a while, may have let go
 * that it was decided, and then it is taken for a cluster of that release. Pure.
 */
export function installerOfCanal(status: Pick<ClusterStatus, 'cni' | 'cniInstaller'>): CniInstaller | undefined {
  return status.cni === 'canal' && status.cniInstaller === 'Tenant' ? 'Fairway' : status.cniInstaller;
}
