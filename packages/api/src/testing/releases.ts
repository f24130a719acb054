import { API_VERSION } from '../group.ts';
import type { KubernetesRelease, KubernetesReleaseSpec } from '../kinds/kubernetes-release.ts';
import { withoutBlindField } from './blind.ts';

/** A KubernetesRelease for tests, with patches 0, 1 and 2 and no dates: it is always Supported. */
export function aRelease(
  minor: string,
  spec: Partial<KubernetesReleaseSpec> = {},
  patches: readonly number[] = [0, 1, 2],
): KubernetesRelease {
  return withoutBlindField('KubernetesRelease', {
    apiVersion: API_VERSION,
    kind: 'KubernetesRelease',
    metadata: { name: minor },
    spec: {
      minor,
      source: 'test',
      patches: patches.map((patch) => ({ version: `${minor}.${patch}`, withdrawn: false })),
      components: { containerd: '2.2.7', pause: '3.10.1' },
      ...spec,
    },
  });
}
