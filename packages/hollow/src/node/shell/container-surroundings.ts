import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Container, Pod } from '@fairway/kube/kinds/generated/types';
import type { Surroundings } from './run-script.ts';

/** A file on the node itself is known to all its pods. */
const HOST = 'host:';

/** Files of a node that its pods share; others end with their pod. */
export function isOfHost(file: string): boolean {
  return file.startsWith(`${HOST}/`);
}

/** What the program of a container sees when it is started for the nth time, from 0. */
export function surroundingsOf(
  container: Container,
  pod: Pod,
  files: ReadonlySet<string>,
  start: number,
): Surroundings {
  let drawn = 0;
  return {
    variables: variablesOf(container, pod),
    hasMore: (container.envFrom ?? []).length > 0,
    files,
    fileAt: (path) => fileAt(container, pod, path),
    // The same each time that a node computes it.
    random: () => {
      const seed = `${pod.metadata.uid}/${container.name}/${start}/${drawn++}`;
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

/** A field that the downward API offers; undefined for those that are not known yet when a container starts, or never here. */
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

function fileAt({ volumeMounts = [] }: Container, { spec }: Pod, path: string): string | undefined {
  if (!path.startsWith('/')) return undefined;
  const absolute = posix.normalize(path);
  // The innermost one.
  const [mount] = volumeMounts
    .filter(({ mountPath }) => absolute.startsWith(`${posix.normalize(mountPath).replace(/\/$/, '')}/`))
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length);
  const volume = spec.volumes?.find(({ name }) => name === mount?.name);
  if (mount === undefined || volume === undefined || mount.subPathExpr !== undefined) return undefined;
  const below = posix.join(mount.subPath ?? '', posix.relative(posix.normalize(mount.mountPath), absolute));
  if (volume.hostPath !== undefined) return `${HOST}${posix.join(volume.hostPath.path, below)}`;
  return volume.emptyDir === undefined ? undefined : `${volume.name}:${below}`;
}
