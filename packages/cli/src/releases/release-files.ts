import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { usageError } from '@fairway/service/command-error';

/** Where upstream publishes; a mirror has both paths below one address. */
export interface Mirrors {
  /** Has `/release/vX.Y.Z/bin/linux/ARCH/NAME`, each with `.sha512` or `.sha256` beside it. */
  readonly kubernetes: string;
  /** Has `/etcd-io/etcd/releases/download/vX.Y.Z/`, an archive with SHA256SUMS. */
  readonly etcd: string;
}

const UPSTREAM: Mirrors = { kubernetes: 'https://dl.k8s.io', etcd: 'https://github.com' };

/** Upstream's own addresses, or both at a mirror. */
export function mirrorsAt(mirror: string | undefined): Mirrors {
  if (mirror === undefined) return UPSTREAM;
  const url = URL.parse(mirror);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw usageError(
      `--mirror: "${mirror}" is not an address of http or https`,
      'such as https://mirror.example.org/kubernetes',
    );
  }
  const base = mirror.replace(/\/+$/, '');
  return { kubernetes: base, etcd: base };
}

/** A file to download, and where its checksum stands. */
export interface ReleaseFile {
  readonly name: string;
  readonly url: string;
  /** In the order in which they are asked for; the first that is there counts. `entry` is the file's name in a list of sums. */
  readonly sums: readonly { readonly url: string; readonly algorithm: 'sha512' | 'sha256'; readonly entry?: string }[];
}

/** Programs of Kubernetes that are published one by one; kubelet and kubectl are for nodes and people. */
export const KUBERNETES_PROGRAMS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kubectl',
] as const;

/** Programs in etcd's archive. */
export const ETCD_PROGRAMS = ['etcd', 'etcdctl', 'etcdutl'] as const;

export interface ReleaseRequest {
  /** Exact: `1.34.2`. */
  readonly version: string;
  /** Exact, of etcd. */
  readonly etcd: string;
  /** As Go names it: amd64, arm64. */
  readonly architecture: string;
}

export function programFiles(
  { version, architecture }: ReleaseRequest,
  { kubernetes }: Mirrors,
): readonly ReleaseFile[] {
  return KUBERNETES_PROGRAMS.map((name) => {
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

/** What to fetch on a machine, with the etcd that belongs to the version. Throws a CommandError for what there is not. */
export function releaseRequest(
  version: string,
  etcd: string | undefined,
  machine: { readonly platform: NodeJS.Platform; readonly arch: NodeJS.Architecture },
): ReleaseRequest {
  const wanted = version.replace(/^v/, '');
  if (!/^\d+\.\d+\.\d+$/.test(wanted)) {
    throw usageError(`"${version}" is not an exact version of Kubernetes`, `such as ${newestPatches().join(', ')}`);
  }
  const architecture = machine.platform === 'linux' ? ARCHITECTURES[machine.arch] : undefined;
  if (architecture === undefined) {
    throw usageError(
      `Kubernetes has no control plane for ${machine.platform}/${machine.arch}`,
      'run Fairway on Linux, or with --control-plane simulated',
    );
  }
  const minor = wanted.split('.').slice(0, 2).join('.');
  const known = SHIPPED_RELEASES.find(({ spec }) => spec.minor === minor)?.spec.components['etcd'];
  const ofEtcd = etcd?.replace(/^v/, '') ?? known;
  if (ofEtcd === undefined) {
    throw usageError(
      `Fairway does not know which etcd belongs to Kubernetes ${minor}`,
      'choose one with --etcd; see kubeadm’s SupportedEtcdVersion in cmd/kubeadm/app/constants',
    );
  }
  return { version: wanted, etcd: ofEtcd, architecture };
}

/** The newest patch of each minor version that Fairway knows, the newest first. */
function newestPatches(): readonly string[] {
  return SHIPPED_RELEASES.flatMap(({ spec }) => spec.patches.at(-1)?.version ?? []).reverse();
}

/** Versions of the same minor version that Fairway knows, for whoever has asked for one that there is not. */
export function knownPatches(version: string): readonly string[] {
  const minor = version.split('.').slice(0, 2).join('.');
  return SHIPPED_RELEASES.find(({ spec }) => spec.minor === minor)?.spec.patches.map((patch) => patch.version) ?? [];
}
