import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Container, Pod } from '@fairway/kube/kinds/generated/types';
import type { Files, ProgramEnvironment } from './run-script.ts';

/** A file on the node itself is visible to all its pods. */
const HOST = 'host:';

/** Files on a node that its pods share; all others are deleted with their pod. */
export function isHostFile(file: string): boolean {
  return file.startsWith(`${HOST}/`);
}

/** The environment of a container's program at its nth start, counted from 0. */
export function environmentOf(container: Container, pod: Pod, files: Files, start: number): ProgramEnvironment {
  let drawnCount = 0;
  let mounts: readonly Mount[] | undefined;
  return {
    variables: variablesOf(container, pod),
    hasUnknownVariables: (container.envFrom ?? []).length > 0,
    files,
    fileAt: (path) => {
      mounts ??= mountsOf(container, pod);
      return fileAt(mounts, path);
    },
    // Must be the same each time a node computes it.
    random: () => {
      const seed = `${pod.metadata.uid}/${container.name}/${start}/${drawnCount++}`;
      return createHash('sha256').update(seed).digest().readUInt32BE(0) / 2 ** 32;
    },
  };
}

function variablesOf({ env = [] }: Container, pod: Pod): ReadonlyMap<string, string | undefined> {
  return new Map(
    env.map(({ name, value, valueFrom }) => [
      name,
      valueFrom === undefined ? (value ?? '') : fieldOf(pod, valueFrom.fieldRef?.fieldPath),
    ]),
  );
}

/** A field of the downward API; undefined if it is unknown when a container starts or not supported here. */
function fieldOf({ metadata, spec }: Pod, path = ''): string | undefined {
  const [, map, key = ''] = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path) ?? [];
  if (map !== undefined) return (map === 'labels' ? metadata.labels : metadata.annotations)?.[key] ?? '';
  switch (path) {
    case 'metadata.name':
      return metadata.name;
    case 'metadata.namespace':
      return metadata.namespace;
    case 'metadata.uid':
      return metadata.uid;
    case 'spec.nodeName':
      return spec.nodeName;
    case 'spec.serviceAccountName':
      return spec.serviceAccountName;
    default:
      return undefined;
  }
}

interface Mount {
  /** Ends with a slash. */
  readonly folder: string;
  /** Key of a mounted volume and the path within it; undefined if its content is unknown. */
  readonly root: string | undefined;
}

/** With more mounts than this, file locations are considered unknown. */
const MAX_MOUNTS = 100;
/** The limit in Linux. */
const MAX_PATH_CHARS = 4096;

/** Innermost mounts first. */
function mountsOf({ volumeMounts = [] }: Container, { spec }: Pod): readonly Mount[] {
  if (volumeMounts.length > MAX_MOUNTS) return [];
  const mounts = volumeMounts.map(({ name, mountPath, subPath = '', subPathExpr }): Mount => {
    const folder = `${posix.normalize(mountPath).replace(/\/$/, '')}/`;
    const volume = spec.volumes?.find((candidate) => candidate.name === name);
    if (volume === undefined || subPathExpr !== undefined) return { folder, root: undefined };
    if (volume.hostPath !== undefined) return { folder, root: `${HOST}${posix.join(volume.hostPath.path, subPath)}` };
    return { folder, root: volume.emptyDir === undefined ? undefined : `${volume.name}:${posix.normalize(subPath)}` };
  });
  return mounts.toSorted((a, b) => b.folder.length - a.folder.length);
}

function fileAt(mounts: readonly Mount[], path: string): string | undefined {
  if (!path.startsWith('/') || path.length > MAX_PATH_CHARS) return undefined;
  const absolute = posix.normalize(path);
  const mount = mounts.find(({ folder }) => absolute.startsWith(folder));
  if (mount?.root === undefined || mount.root.length > MAX_PATH_CHARS) return undefined;
  return `${mount.root.replace(/\/$/, '')}/${absolute.slice(mount.folder.length)}`;
}
