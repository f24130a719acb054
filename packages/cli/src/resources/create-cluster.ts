import { API_VERSION } from '@fairway/api/group';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { type NewNodePool, type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { defaultPoolName } from '@fairway/api/names';
import { usageError } from '@fairway/service/command-error';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { WaitOptions } from '../command/options.ts';
import type { ObjectForm } from '../output/objects.ts';
import { clusterReady } from '../progress/goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { readProfile } from './cloud-lists.ts';
import { createObjects } from './create-objects.ts';
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
    const manifest = await requestedObjects(context, connection, options);
    const [requestedCluster] = manifest.clusters;
    if (requestedCluster === undefined || manifest.clusters.length > 1) {
      throw usageError(`the file must contain exactly one Cluster, but has ${manifest.clusters.length}`);
    }
    const startedMs = context.clock.now();
    const { pools } = await createObjects(context, connection, manifest, options);
    if (options.dryRun || !options.wait) return;
    const { name = '', namespace = connection.namespace } = requestedCluster.metadata;
    const goal = clusterReady(
      name,
      pools.map(({ metadata }) => metadata.name ?? ''),
    );
    await waitFor(context, { ...connection, namespace }, name, goal, options.timeout);
    const seconds = Math.round((context.clock.now() - startedMs) / 1000);
    context.stderr.write(`cluster "${name}" is ready after ${seconds} s\n`);
    const inNamespace = globals.namespace === undefined ? '' : ` -n ${globals.namespace}`;
    context.stderr.write(`next: fairway kubeconfig ${name}${inNamespace} -o ${name}.kubeconfig\n`);
    if (pools.length === 0) {
      context.stderr.write(
        `      fairway nodepool create ${defaultPoolName(name)}${inNamespace} --cluster ${name} --flavor NAME --nodes 3\n`,
      );
    }
  });
}

async function requestedObjects(
  context: CliContext,
  connection: Connection,
  options: CreateClusterOptions,
): Promise<Manifest> {
  const { name, filename, flavor } = options;
  const { namespace } = connection;
  if (filename !== undefined) {
    if (name !== undefined) throw usageError('a name and --filename are mutually exclusive: the file has the name');
    const conflictingOptions = givenOptions(options, [
      'plan',
      'version',
      'flavor',
      'nodes',
      'zones',
      'pool',
      'network',
      'subnet',
    ]);
    if (conflictingOptions.length > 0)
      throw usageError(`${conflictingOptions.join(', ')} and --filename are mutually exclusive: change the file`);
    return readManifest(context, filename, namespace);
  }
  if (name === undefined) throw usageError('no cluster given: pass its name, or a file with -f');
  if (flavor === undefined) {
    const nodeOptions = givenOptions(options, ['nodes', 'zones', 'pool']);
    if (nodeOptions.length > 0) {
      const advice = `add --flavor NAME${await exampleFlavors(connection, context.signal)}, or leave out ${nodeOptions.join(' and ')} and create a node pool later`;
      throw usageError(
        `${nodeOptions.join(' and ')} ${nodeOptions.length > 1 ? 'require' : 'requires'} --flavor`,
        advice,
      );
    }
  }
  return objectsFromOptions(name, namespace, options);
}

/** The given options among these names. */
function givenOptions(
  options: CreateClusterOptions,
  names: readonly (keyof CreateClusterOptions)[],
): readonly string[] {
  return names.filter((name) => options[name] !== undefined).map((name) => `--${name}`);
}

/** A few flavors of the namespace's cloud, for a message; empty if they are unknown. */
async function exampleFlavors(connection: Connection, signal: AbortSignal): Promise<string> {
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
