import { API_VERSION } from '@fairway/api/group';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { type NewNodePool, type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { CommandError, usageError } from '@fairway/service/command-error';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import { type ObjectForm, renderObjects } from '../output/objects.ts';
import { clusterReady } from '../progress/goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { qualifiedName } from './kinds.ts';
import { type Manifest, readManifest } from './manifest.ts';

export interface CreateClusterOptions extends WaitOptions {
  readonly name?: string;
  readonly filename?: string;
  readonly plan?: string;
  readonly version?: string;
  readonly flavor?: string;
  readonly nodes: number;
  readonly zones?: readonly string[];
  readonly pool?: string;
  readonly network?: string;
  readonly subnet?: string;
  readonly output?: ObjectForm;
  readonly dryRun?: boolean;
}

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
        `      fairway nodepool create general${inNamespace} --cluster ${name} --flavor NAME --nodes 3\n`,
      );
    }
  });
}

async function wantedObjects(
  context: CliContext,
  { namespace }: Connection,
  options: CreateClusterOptions,
): Promise<Manifest> {
  const { name, filename } = options;
  if (filename !== undefined) {
    if (name !== undefined) throw usageError('a name and --filename are mutually exclusive: the file has the name');
    return readManifest(context, filename, namespace);
  }
  if (name === undefined) throw usageError('which cluster? Give its name, or a file with -f');
  return objectsFromOptions(name, namespace, options);
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
    metadata: { name: pool ?? name, namespace },
    spec: { clusterName: name, flavor, replicas: nodes, ...(zones && { availabilityZones: [...zones] }) },
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
  // In a dry run the cluster is not created, so the server would reject its pools.
  if (dryRun && wanted.pools.length > 0) {
    context.stderr.write('the node pools are not checked: their cluster does not exist yet\n');
    return [cluster, pools];
  }
  for (const pool of wanted.pools) {
    try {
      pools.push(await client.resource(nodePools).create(pool, write));
    } catch (error) {
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
  stdout.write(`${qualifiedName(kind, object.metadata.name ?? '')} created${dryRun ? ' (server dry run)' : ''}\n`);
}
