import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { API_VERSION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { ObjectMeta } from '@fairway/kube/object/meta';
import { usageError } from '@fairway/service/command-error';
import { loadAll } from 'js-yaml';
import { z } from 'zod';
import type { CliContext } from '../command/context.ts';

/** Clusters and pools from a file; the server validates the rest. */
export interface Manifest {
  readonly clusters: readonly Cluster[];
  readonly pools: readonly NodePool[];
}

const Document = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
  spec: z.looseObject({}).default({}),
});

/** Reads a file, or stdin for `-`. */
export async function readManifest(context: CliContext, path: string, namespace: string): Promise<Manifest> {
  const text = path === '-' ? await context.readStdin() : await readText(resolve(context.cwd, path));
  return parseManifest(text, path === '-' ? 'stdin' : path, namespace);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw usageError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

/** Clusters and NodePools from YAML documents, in their own namespace or the given one. */
export function parseManifest(text: string, source: string, namespace: string): Manifest {
  const found: { clusters: Cluster[]; pools: NodePool[] } = { clusters: [], pools: [] };
  for (const [index, document] of loadDocuments(text, source).flatMap(itemsOf).entries()) {
    if (document === null || document === undefined) continue;
    const parsed = Document.safeParse(document);
    if (!parsed.success) throw usageError(`${source}, object ${index + 1}: ${z.prettifyError(parsed.error)}`);
    const { apiVersion, kind } = parsed.data;
    const metadata = { namespace, ...(parsed.data.metadata as ObjectMeta) };
    const isFairwayKind = apiVersion === API_VERSION;
    // The server validates spec; an older client must not.
    if (isFairwayKind && kind === clusters.kind)
      found.clusters.push({ ...parsed.data, metadata } as unknown as Cluster);
    else if (isFairwayKind && kind === nodePools.kind)
      found.pools.push({ ...parsed.data, metadata } as unknown as NodePool);
    else {
      throw usageError(
        `${source}, object ${index + 1}: ${apiVersion} ${kind} must be a Cluster or a NodePool of ${API_VERSION}`,
        'for files with other kinds, use kubectl apply -f',
      );
    }
  }
  return found;
}

const List = z.looseObject({ apiVersion: z.literal('v1'), kind: z.literal('List'), items: z.array(z.unknown()) });

/** Expands a List, which is how commands print several objects. */
function itemsOf(document: unknown): readonly unknown[] {
  const { data } = List.safeParse(document);
  return data === undefined ? [document] : data.items;
}

function loadDocuments(text: string, source: string): unknown[] {
  try {
    return loadAll(text, { filename: source });
  } catch (error) {
    throw usageError(`${source} is not valid YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}
