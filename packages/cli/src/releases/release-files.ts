import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { trimmedEnd } from '@fairway/base/trim';
import { usageError } from '@fairway/service/command-error';

/** Upstream's download servers; a mirror has both paths under one URL. */
export interface Mirrors {
  /** Contains `/release/vX.Y.Z/bin/linux/ARCH/NAME`, each with a `.sha512` or `.sha256` file. */
  readonly kubernetes: string;
  /** Contains `/etcd-io/etcd/releases/download/vX.Y.Z/`, an archive with SHA256SUMS. */
  readonly etcd: string;
}

const UPSTREAM: Mirrors = { kubernetes: 'https://dl.k8s.io', etcd: 'https://github.com' };

/** Upstream's URLs, or both under a mirror. */
export function mirrorsAt(mirror: string | undefined): Mirrors {
  if (mirror === undefined) return UPSTREAM;
  const url = URL.parse(mirror);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw usageError(
      `--mirror: "${mirror}" is not an http or https URL`,
      'use a URL such as https://mirror.example.org/kubernetes',
    );
  }
  const base = trimmedEnd(mirror, '/');
  return { kubernetes: base, etcd: base };
}

/** A file to download, and where its checksum is published. */
export interface ReleaseFile {
  readonly name: string;
  readonly url: string;
  /** Tried in order; the first that exists is used. `entry` is the file's name in a list of checksums. */
  readonly sums: readonly { readonly url: string; readonly algorithm: 'sha512' | 'sha256'; readonly entry?: string }[];
}

/** Kubernetes binaries published as single files; kubelet is for nodes, kubectl for users. */
export const KUBERNETES_BINARIES = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kubectl',
] as const;

/** Binaries in etcd's archive. */
export const ETCD_BINARIES = ['etcd', 'etcdctl', 'etcdutl'] as const;

export interface ReleaseRequest {
  /** Exact: `1.34.2`. */
  readonly version: string;
  /** An exact version of etcd. */
  readonly etcd: string;
  /** Go's name for the architecture: amd64, arm64. */
  readonly architecture: string;
}

export function binaryFiles(
  { version, architecture }: ReleaseRequest,
  { kubernetes }: Mirrors,
): readonly ReleaseFile[] {
  return KUBERNETES_BINARIES.map((name) => {
    const url = `${kubernetes}/release/v${version}/bin/linux/${architecture}/${name}`;
    return {
      name,
      url,
      sums: (['sha512', 'sha256'] as const).map((algorithm) => ({ url: `${url}.${algorithm}`, algorithm })),
    };
  });
}

export function etcdArchive({ etcd, architecture }: ReleaseRequest, mirrors: Mirrors): ReleaseFile {
  const folder = `${mirrors.etcd}/etcd-io/etcd/releases/download/v${etcd}`;
  const name = `etcd-v${etcd}-linux-${architecture}.tar.gz`;
  return {
    name,
    url: `${folder}/${name}`,
    sums: [{ url: `${folder}/SHA256SUMS`, algorithm: 'sha256', entry: name }],
  };
}

const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, string>>> = {
  x64: 'amd64',
  arm64: 'arm64',
  ppc64: 'ppc64le',
  s390x: 's390x',
};

/**
 * The files to download for a machine, with the matching version of etcd. Throws a CommandError if a version is invalid
 * or unknown, or if the machine is not supported.
 */
export function releaseRequest(
  version: string,
  etcd: string | undefined,
  machine: { readonly platform: NodeJS.Platform; readonly arch: NodeJS.Architecture },
): ReleaseRequest {
  const requestedVersion = version.replace(/^v/, '');
  if (!/^\d+\.\d+\.\d+$/.test(requestedVersion)) {
    throw usageError(`"${version}" is not an exact version of Kubernetes`, `such as ${newestPatches().join(', ')}`);
  }
  const architecture = machine.platform === 'linux' ? ARCHITECTURES[machine.arch] : undefined;
  if (architecture === undefined) {
    throw usageError(
      `Kubernetes has no control plane binaries for ${machine.platform}/${machine.arch}`,
      'run Fairway on Linux, or with --control-plane simulated',
    );
  }
  const minor = requestedVersion.split('.').slice(0, 2).join('.');
  const known = SHIPPED_RELEASES.find(({ spec }) => spec.minor === minor)?.spec.components['etcd'];
  const etcdVersion = etcd?.replace(/^v/, '') ?? known;
  if (etcdVersion === undefined) {
    throw usageError(
      `Fairway does not know which etcd belongs to Kubernetes ${minor}`,
      'choose one with --etcd; see kubeadm’s SupportedEtcdVersion in cmd/kubeadm/app/constants',
    );
  }
  return { version: requestedVersion, etcd: etcdVersion, architecture };
}

/** The newest known patch of each minor version, newest first. */
function newestPatches(): readonly string[] {
  return SHIPPED_RELEASES.flatMap(({ spec }) => spec.patches.at(-1)?.version ?? []).reverse();
}

/** Known patches of the same minor version, to suggest if the requested one does not exist. */
export function knownPatches(version: string): readonly string[] {
  const minor = version.split('.').slice(0, 2).join('.');
  return SHIPPED_RELEASES.find(({ spec }) => spec.minor === minor)?.spec.patches.map((patch) => patch.version) ?? [];
}
