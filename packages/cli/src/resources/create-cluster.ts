import { DRY_RUN_ANNOTATION, dryRunAnnotation, type Siblings } from '@fairway/api/admission/dry-run-siblings';
import { API_VERSION } from '@fairway/api/group';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { type NewNodePool, type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { defaultPoolName } from '@fairway/api/names';
import { CommandError, usageError } from '@fairway/service/command-error';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import { dryRunText } from '../output/changes.ts';
import { type ObjectForm, renderObjects } from '../output/objects.ts';
import { clusterReady } from '../progress/goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { readProfile } from './cloud-lists.ts';
import { qualifiedName } from './kinds.ts';
import { type Manifest, readManifest } from './manifest.ts';

export interface CreateClusterOptions extends WaitOptions {
  readonly name?: string;
  readonly filename?: string;
  readonly plan?: string;
  readonly version?: string;
  readonly flavor?: string;
  readonly nodes?: number;
  readonly zones?: readonly string[];
  readonly pool?: string;
  readonly network?: string;
  readonly subnet?: string;
  readonly output?: ObjectForm;
  readonly dryRun?: boolean;
}

const DEFAULT_NODES = 3;

export async function createCluster(
  context: CliContext,
  globals: GlobalOptions,
  options: CreateClusterOptions,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const manifest = await wantedObjects(context, connection, options);
    const [wanted] = manifest.clusters;
    if (wanted === undefined || manifest.clusters.length > 1) {
      throw usageError(`only one Cluster can be created at a time, the file has ${manifest.clusters.length}`);
    }
    const startedMs = context.clock.now();
    const [cluster, pools] = await createAll(context, connection, { cluster: wanted, pools: manifest.pools }, options);
    if (options.dryRun || !options.wait) return;
    const { name = '', namespace = connection.namespace } = cluster.metadata;
    const goal = clusterReady(
      name,
      pools.map(({ metadata }) => metadata.name ?? ''),
    );
    await waitFor(context, { ...connection, namespace }, name, goal, options.timeout);
    const seconds = Math.round((context.clock.now() - startedMs) / 1000);
    context.stderr.write(`cluster "${name}" is ready after ${seconds} s\n`);
    const inNamespace = globals.namespace === undefined ? '' : ` -n ${globals.namespace}`;
    context.stderr.write(`next: fairway kubeconfig ${name}${inNamespace} > ${name}.kubeconfig\n`);
    if (pools.length === 0) {
      context.stderr.write(
        `      fairway nodepool create ${defaultPoolName(name)}${inNamespace} --cluster ${name} --flavor NAME --nodes 3\n`,
      );
    }
  });
}

async function wantedObjects(
  context: CliContext,
  connection: Connection,
  options: CreateClusterOptions,
): Promise<Manifest> {
  const { name, filename, flavor } = options;
  const { namespace } = connection;
  if (filename !== undefined) {
    if (name !== undefined) throw usageError('a name and --filename are mutually exclusive: the file has the name');
    const also = given(options, ['plan', 'version', 'flavor', 'nodes', 'zones', 'pool', 'network', 'subnet']);
    if (also.length > 0) throw usageError(`${also.join(', ')} and --filename are mutually exclusive: change the file`);
    return readManifest(context, filename, namespace);
  }
  if (name === undefined) throw usageError('which cluster? Give its name, or a file with -f');
  if (flavor === undefined) {
    const nodeOptions = given(options, ['nodes', 'zones', 'pool']);
    if (nodeOptions.length > 0) {
      const advice = `add --flavor NAME${await suchAs(connection, context.signal)}, or leave ${nodeOptions.join(' and ')} out and create a node pool later`;
      throw usageError(
        `${nodeOptions.join(' and ')} ${nodeOptions.length > 1 ? 'are' : 'is'} about nodes, and nodes need a flavor`,
        advice,
      );
    }
  }
  return objectsFromOptions(name, namespace, options);
}

/** The options of these names that were given. */
function given(options: CreateClusterOptions, names: readonly (keyof CreateClusterOptions)[]): readonly string[] {
  return names.filter((name) => options[name] !== undefined).map((name) => `--${name}`);
}

/** A few flavors of the namespace's cloud, for a message; empty if they are unknown. */
async function suchAs(connection: Connection, signal: AbortSignal): Promise<string> {
  try {
    const { status } = await readProfile(connection, undefined, signal);
    const names = status?.flavors?.slice(0, 5).map(({ name }) => name) ?? [];
    return names.length === 0 ? '' : ` (${names.join(', ')}, …: "fairway cloud flavors")`;
  } catch {
    return '';
  }
}

/** The cluster and, if a flavor is given, its pool. */
export function objectsFromOptions(name: string, namespace: string, options: CreateClusterOptions): Manifest {
  const { plan, version, network, subnet, flavor, nodes, zones, pool } = options;
  const cluster: NewCluster = {
    apiVersion: API_VERSION,
    kind: clusters.kind,
    metadata: { name, namespace },
    spec: {
      ...(plan !== undefined && { plan }),
      ...(version !== undefined && { version }),
      ...((network !== undefined || subnet !== undefined) && {
        network: {
          ...(network !== undefined && { networkID: network }),
          ...(subnet !== undefined && { subnetID: subnet }),
        },
      }),
    },
  };
  const nodePool = (flavor: string): NewNodePool => ({
    apiVersion: API_VERSION,
    kind: nodePools.kind,
    metadata: { name: pool ?? defaultPoolName(name), namespace },
    spec: {
      clusterName: name,
      flavor,
      replicas: nodes ?? DEFAULT_NODES,
      ...(zones && { availabilityZones: [...zones] }),
    },
  });
  return {
    clusters: [cluster as Cluster],
    pools: flavor === undefined ? [] : [nodePool(flavor) as NodePool],
  };
}

async function createAll(
  context: CliContext,
  { client }: Connection,
  wanted: { readonly cluster: Cluster; readonly pools: readonly NodePool[] },
  { dryRun, output }: CreateClusterOptions,
): Promise<readonly [Cluster, readonly NodePool[]]> {
  const write = { dryRun: dryRun === true, fieldManager: 'fairway', signal: context.signal };
  const cluster = await client.resource(clusters).create(wanted.cluster, write);
  announce(context, clusters, cluster, output, dryRun);
  const pools: NodePool[] = [];
  for (const pool of wanted.pools) {
    try {
      const sent = dryRun ? besides(pool, { clusters: [cluster], pools }) : pool;
      pools.push(withoutSiblings(await client.resource(nodePools).create(sent, write)));
    } catch (error) {
      if (dryRun) throw error;
      const advice = `cluster "${cluster.metadata.name}" exists now: add the pool with "fairway nodepool create", or delete the cluster`;
      throw new CommandError(error instanceof Error ? error.message : String(error), { advice, cause: error });
    }
    announce(context, nodePools, pools.at(-1) as NodePool, output, dryRun);
  }
  return [cluster, pools];
}

/** Reports that an object was created, in the requested format. */
export function announce(
  { stdout }: CliContext,
  kind: typeof clusters | typeof nodePools,
  object: Cluster | NodePool,
  output: ObjectForm | undefined,
  dryRun: boolean | undefined,
): void {
  if (output !== undefined) {
    stdout.write(renderObjects(kind, [object], output, false));
    return;
  }
  const sentence = `${qualifiedName(kind, object.metadata.name ?? '')} created`;
  stdout.write(dryRun ? dryRunText(sentence, undefined, object) : `${sentence}\n`);
}

/** With what a dry run would create before it. */
export function besides(pool: NodePool, siblings: Siblings): NodePool {
  const annotations = { ...pool.metadata.annotations, [DRY_RUN_ANNOTATION]: dryRunAnnotation(siblings) };
  return { ...pool, metadata: { ...pool.metadata, annotations } };
}

/** As the server would store it. */
export function withoutSiblings(pool: NodePool): NodePool {
  const { annotations, ...metadata } = pool.metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => key !== DRY_RUN_ANNOTATION);
  return { ...pool, metadata: { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) } };
}
