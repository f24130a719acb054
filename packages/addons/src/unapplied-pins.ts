import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { suggest } from '@fairway/api/domain/suggest';
import type { UnappliedField } from '@fairway/api/domain/unapplied-fields';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { ciliumVersion, cinderCsiVersion } from './versions.ts';

/** Names in `components` of a KubernetesRelease that have an effect: node components and add-ons. */
const SUPPORTED_COMPONENTS = [
  'calico',
  'cilium',
  'cinder-csi',
  'containerd',
  'coredns',
  'flannel',
  'metrics-server',
  'pause',
] as const;

/**
 * Versions that a KubernetesRelease pins but clusters do not get, because the component name is unknown or Fairway
 * ignores the version. Pure.
 */
export function unappliedPins({ spec }: Pick<KubernetesRelease, 'spec'>): UnappliedField[] {
  const [firstPatch] = spec.patches;
  const pins = [
    { field: 'spec.components', version: firstPatch?.version ?? `${spec.minor}.0`, components: spec.components },
    ...spec.patches.map(({ version, components = {} }) => ({
      field: `spec.patches[${version}].components`,
      version,
      components,
    })),
  ];
  return pins.flatMap(({ field, version, components }) =>
    Object.entries(components).flatMap(([name, value]) => {
      const detail = problemOf(name, value, { version, minor: spec.minor });
      return detail === undefined ? [] : [{ field: `${field}.${name}`, value, detail }];
    }),
  );
}

function problemOf(
  name: string,
  value: string,
  { version, minor }: { readonly version: string; readonly minor: string },
): string | undefined {
  const requireNewer = (own: string) =>
    own === value ? undefined : `Fairway requires a newer version and installs ${own}`;
  switch (name) {
    case 'cilium':
      return requireNewer(ciliumVersion(version, value));
    case 'cinder-csi':
      return requireNewer(cinderCsiVersion(version, value));
    case 'etcd':
      return value === shippedEtcd(minor)
        ? undefined
        : `control planes run the etcd installed on the machine: "fairway releases fetch ${version} --etcd ${value}" installs this version`;
    default:
      return (SUPPORTED_COMPONENTS as readonly string[]).includes(name)
        ? undefined
        : `Fairway has no component of this name: ${suggest(name, SUPPORTED_COMPONENTS)}`;
  }
}

/** The etcd version in a shipped release, which `fairway releases fetch` downloads. */
function shippedEtcd(minor: string): string | undefined {
  return SHIPPED_RELEASES.find(({ spec }) => spec.minor === minor)?.spec.components['etcd'];
}
