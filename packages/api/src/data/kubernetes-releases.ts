import { API_VERSION } from '../group.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';

const SOURCE =
  'endoflife.date/kubernetes (products/kubernetes.md, history up to 2026-08-21), after kubernetes.io/releases/patch-releases';

/**
 * Node and add-on component versions for all releases below. containerd: endoflife.date, 2026-08-21; pause:
 * kubeadm's constant of
 * 1.35. Older releases use the same versions. CoreDNS, metrics-server, Calico, flannel and Cilium come with the
 * add-ons.
 */
const COMPONENTS = {
  // Maintained until 2026-11. Kubelets since 1.37 require containerd 2.x.
  containerd: '2.2.7',
  pause: '3.10.1',
} as const;

interface ReleaseData {
  readonly minor: string;
  readonly released: string;
  readonly maintenanceMode: string;
  readonly endOfLife: string;
  /**
   * kubeadm's SupportedEtcdVersion (cmd/kubeadm/app/constants): from 1.36.3 for 1.34 and later, from the last patches
   * of 1.32 and 1.34 for older versions.
   */
  readonly etcd: string;
  /** Version and release date of every patch release. */
  readonly patches: Readonly<Record<string, string>>;
}

const RELEASES: readonly ReleaseData[] = [
  {
    minor: '1.31',
    etcd: '3.5.24',
    released: '2024-08-13',
    maintenanceMode: '2025-08-28',
    endOfLife: '2025-11-11',
    patches: {
      '1.31.0': '2024-08-13',
      '1.31.1': '2024-09-11',
      '1.31.2': '2024-10-22',
      '1.31.3': '2024-11-19',
      '1.31.4': '2024-12-10',
      '1.31.5': '2025-01-15',
      '1.31.6': '2025-02-12',
      '1.31.7': '2025-03-11',
      '1.31.8': '2025-04-22',
      '1.31.9': '2025-05-15',
      '1.31.10': '2025-06-17',
      '1.31.11': '2025-07-15',
      '1.31.12': '2025-08-13',
      '1.31.13': '2025-09-09',
      '1.31.14': '2025-11-11',
    },
  },
  {
    minor: '1.32',
    etcd: '3.5.24',
    released: '2024-12-11',
    maintenanceMode: '2025-12-28',
    endOfLife: '2026-02-28',
    patches: {
      '1.32.0': '2024-12-11',
      '1.32.1': '2025-01-15',
      '1.32.2': '2025-02-12',
      '1.32.3': '2025-03-11',
      '1.32.4': '2025-04-22',
      '1.32.5': '2025-05-15',
      '1.32.6': '2025-06-17',
      '1.32.7': '2025-07-15',
      '1.32.8': '2025-08-13',
      '1.32.9': '2025-09-09',
      '1.32.10': '2025-11-11',
      '1.32.11': '2025-12-16',
      '1.32.12': '2026-02-10',
      '1.32.13': '2026-02-26',
    },
  },
  {
    minor: '1.33',
    etcd: '3.5.24',
    released: '2025-04-23',
    maintenanceMode: '2026-04-28',
    endOfLife: '2026-06-28',
    patches: {
      '1.33.0': '2025-04-23',
      '1.33.1': '2025-05-15',
      '1.33.2': '2025-06-17',
      '1.33.3': '2025-07-15',
      '1.33.4': '2025-08-13',
      '1.33.5': '2025-09-09',
      '1.33.6': '2025-11-11',
      '1.33.7': '2025-12-09',
      '1.33.8': '2026-02-10',
      '1.33.9': '2026-02-26',
      '1.33.10': '2026-03-18',
      '1.33.11': '2026-04-15',
      '1.33.12': '2026-05-12',
      '1.33.13': '2026-06-11',
    },
  },
  {
    minor: '1.34',
    etcd: '3.6.8',
    released: '2025-08-27',
    maintenanceMode: '2026-08-27',
    endOfLife: '2026-10-27',
    patches: {
      '1.34.0': '2025-08-27',
      '1.34.1': '2025-09-09',
      '1.34.2': '2025-11-11',
      '1.34.3': '2025-12-09',
      '1.34.4': '2026-02-10',
      '1.34.5': '2026-02-26',
      '1.34.6': '2026-03-18',
      '1.34.7': '2026-04-15',
      '1.34.8': '2026-05-12',
      '1.34.9': '2026-06-11',
      '1.34.10': '2026-07-22',
      '1.34.11': '2026-08-20',
    },
  },
  {
    minor: '1.35',
    etcd: '3.6.8',
    released: '2025-12-17',
    maintenanceMode: '2026-12-28',
    endOfLife: '2027-02-28',
    patches: {
      '1.35.0': '2025-12-17',
      '1.35.1': '2026-02-10',
      '1.35.2': '2026-02-26',
      '1.35.3': '2026-03-18',
      '1.35.4': '2026-04-15',
      '1.35.5': '2026-05-12',
      '1.35.6': '2026-06-11',
      '1.35.7': '2026-07-22',
      '1.35.8': '2026-08-20',
    },
  },
  {
    minor: '1.36',
    etcd: '3.6.8',
    released: '2026-04-22',
    maintenanceMode: '2027-04-28',
    endOfLife: '2027-06-28',
    patches: {
      '1.36.0': '2026-04-22',
      '1.36.1': '2026-05-12',
      '1.36.2': '2026-06-11',
      '1.36.3': '2026-07-22',
      '1.36.4': '2026-08-20',
    },
  },
];

/** The versions that Fairway ships in its catalogue, oldest first. */
export const SHIPPED_RELEASES: readonly KubernetesRelease[] = RELEASES.map(({ patches, etcd, ...release }) => ({
  apiVersion: API_VERSION,
  kind: 'KubernetesRelease',
  metadata: { name: release.minor },
  spec: {
    ...release,
    source: SOURCE,
    patches: Object.entries(patches).map(([version, released]) => ({ version, released, withdrawn: false })),
    components: { ...COMPONENTS, etcd },
  },
}));
