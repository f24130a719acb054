import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const apiVersion = 'fairway.dev/v1alpha1';

/** A Cluster as written by a tenant. */
export function aCluster(name: string, spec: object = {}) {
  return { apiVersion, kind: 'Cluster', metadata: { name }, spec: { plan: 'free', ...spec } };
}

/** A single-node pool, in the cluster `demo` by default. */
export function aPool(name: string, spec: object = {}) {
  const base = { clusterName: 'demo', flavor: 'b3-8', replicas: 1 };
  return { apiVersion, kind: 'NodePool', metadata: { name }, spec: { ...base, ...spec } };
}

/** Makes controllers ignore the object. */
export function paused<T extends { readonly metadata: object }>(object: T): T {
  return { ...object, metadata: { ...object.metadata, annotations: { 'fairway.dev/paused': 'true' } } };
}

/** Writes a file for kubectl; returns its path. */
export async function writeManifest(folder: string, name: string, objects: readonly object[]): Promise<string> {
  const path = join(folder, `${name}.json`);
  await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  return path;
}
