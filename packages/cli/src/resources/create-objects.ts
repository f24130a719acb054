import { DRY_RUN_ANNOTATION, dryRunAnnotation, type Siblings } from '@fairway/api/admission/dry-run-siblings';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { Kind } from '@fairway/api/kinds/kind';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { TransportError } from '@fairway/kube/client/transport';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import type { KubeObject } from '@fairway/kube/object/meta';
import { CommandError } from '@fairway/service/command-error';
import type { Connection } from '../client/connect.ts';
import type { CliContext } from '../command/context.ts';
import { explainError } from '../command/explain-error.ts';
import { dryRunText } from '../output/changes.ts';
import { type ObjectForm, renderObjects, renderTemplates } from '../output/objects.ts';
import { qualifiedName } from './kinds.ts';
import type { Manifest } from './manifest.ts';
import { type Existing, missingObjects } from './missing-objects.ts';

interface CreateOptions {
  readonly output?: ObjectForm;
  readonly dryRun?: boolean;
}

/**
 * Creates a cluster with pools, or pools alone: all of them, or none if the server rejects one. Completes an
 * interrupted run. Resolves with the resulting objects; throws a CommandError that says what to run.
 */
export async function createObjects(
  context: CliContext,
  connection: Connection,
  requested: Manifest,
  { dryRun = false, output }: CreateOptions,
): Promise<Manifest> {
  const existing = await findExisting(connection, requested, context.signal);
  const missing = missingObjects(requested, existing);
  const checked = await dryRunAll(connection, missing, context.signal);
  const created = dryRun ? checked : await createAll(context, connection, missing);
  const done: Manifest = {
    clusters: [...existing.clusters.filter((each) => contains(requested.clusters, each)), ...created.clusters],
    pools: [...existing.pools.filter((each) => contains(requested.pools, each)), ...created.pools],
  };
  printCreated(context, { done, created }, { dryRun, ...(output && { output }) });
  return done;
}

function contains(objects: readonly (Cluster | NodePool)[], { metadata }: Cluster | NodePool): boolean {
  return objects.some((each) => each.metadata.name === metadata.name);
}

/** Requested objects that exist, and all pools of the requested cluster. */
async function findExisting({ client }: Connection, requested: Manifest, signal: AbortSignal): Promise<Existing> {
  const get = <T extends KubeObject>(kind: Kind<T>, { metadata }: T) => {
    const { name = '', namespace = '' } = metadata;
    return undefinedIfNotFound(client.resource(kind).get(name, { namespace, signal }));
  };
  const [cluster] = requested.clusters;
  const [foundClusters, foundPools] = await Promise.all([
    Promise.all(requested.clusters.map((each) => get(clusters, each))),
    Promise.all(requested.pools.map((each) => get(nodePools, each))),
  ]);
  const clusterExists = foundClusters.some((found) => found !== undefined);
  const { namespace = '', name } = cluster?.metadata ?? {};
  const namespacePools = clusterExists ? (await client.resource(nodePools).list({ namespace, signal })).items : [];
  const pools = foundPools.filter((found) => found !== undefined);
  const others = namespacePools.filter(
    ({ spec, metadata }) => spec.clusterName === name && !pools.some((pool) => pool.metadata.name === metadata.name),
  );
  return { clusters: foundClusters.filter((found) => found !== undefined), pools: [...pools, ...others] };
}

/** The objects as the server would store them. Rejects with the first error. */
async function dryRunAll({ client }: Connection, missing: Manifest, signal: AbortSignal): Promise<Manifest> {
  const write = { dryRun: true, fieldManager: 'fairway', signal };
  const checked: { readonly clusters: Cluster[]; readonly pools: NodePool[] } = { clusters: [], pools: [] };
  for (const cluster of missing.clusters) checked.clusters.push(await client.resource(clusters).create(cluster, write));
  for (const pool of missing.pools) {
    checked.pools.push(withoutSiblings(await client.resource(nodePools).create(withSiblings(pool, checked), write)));
  }
  return checked;
}

async function createAll(context: CliContext, { client }: Connection, missing: Manifest): Promise<Manifest> {
  const write = { fieldManager: 'fairway', signal: context.signal };
  const createdObjects: { readonly clusters: Cluster[]; readonly pools: NodePool[] } = { clusters: [], pools: [] };
  try {
    for (const cluster of missing.clusters)
      createdObjects.clusters.push(await client.resource(clusters).create(cluster, write));
    for (const pool of missing.pools) createdObjects.pools.push(await client.resource(nodePools).create(pool, write));
    return createdObjects;
  } catch (error) {
    const names = [...namesOf(clusters, createdObjects.clusters), ...namesOf(nodePools, createdObjects.pools)];
    if (names.length === 0 && !(error instanceof TransportError)) throw error;
    const { message, advice, exitCode } = explainError(error);
    const known =
      names.length === 0
        ? 'it is unknown whether the object was created'
        : `${names.join(' and ')} ${names.length === 1 ? 'exists' : 'exist'} now`;
    const again = `${known}: run the same command again to create what is missing`;
    throw new CommandError(message, {
      advice: advice === undefined ? again : `${advice}; ${again}`,
      exitCode,
      cause: error,
    });
  }
}

function namesOf(
  kind: typeof clusters | typeof nodePools,
  objects: readonly (Cluster | NodePool)[],
): readonly string[] {
  return objects.map(({ metadata }) => qualifiedName(kind, metadata.name ?? ''));
}

/** Prints the objects in the requested format; as templates, all in one stream. */
function printCreated(
  { stdout }: CliContext,
  { done, created }: { readonly done: Manifest; readonly created: Manifest },
  { output, dryRun }: CreateOptions,
): void {
  const all = [
    ...done.clusters.map((object) => ({ kind: clusters, object })),
    ...done.pools.map((object) => ({ kind: nodePools, object })),
  ];
  if (output === 'name') {
    for (const { kind, object } of all) stdout.write(renderObjects(kind, [object], 'name', false));
    return;
  }
  if (output !== undefined) {
    stdout.write(renderTemplates(all, output));
    return;
  }
  for (const { kind, object } of all) {
    const name = qualifiedName(kind, object.metadata.name ?? '');
    const isNew =
      (created.clusters as readonly object[]).includes(object) || created.pools.includes(object as NodePool);
    if (!isNew) stdout.write(`${name} unchanged\n`);
    else stdout.write(dryRun ? dryRunText(`${name} created`, undefined, object) : `${name} created\n`);
  }
}

/** Adds the objects that the dry run would have created before this one. */
function withSiblings(pool: NodePool, siblings: Siblings): NodePool {
  const annotations = { ...pool.metadata.annotations, [DRY_RUN_ANNOTATION]: dryRunAnnotation(siblings) };
  return { ...pool, metadata: { ...pool.metadata, annotations } };
}

/** Restores the object as the server would store it. */
function withoutSiblings(pool: NodePool): NodePool {
  const { annotations, ...metadata } = pool.metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => key !== DRY_RUN_ANNOTATION);
  return { ...pool, metadata: { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) } };
}
