import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import { minorOf } from './version-numbers.ts';

/**
 * Versions of the components installed with an exact version, by name: from the patch, or else from its minor version.
 */
export function componentsOf(
  version: string,
  releases: readonly KubernetesRelease[],
): Readonly<Record<string, string>> {
  const minor = minorOf(version);
  const spec = releases.find((release) => release.spec.minor === minor)?.spec;
  return { ...spec?.components, ...spec?.patches.find((patch) => patch.version === version)?.components };
}
