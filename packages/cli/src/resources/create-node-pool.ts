import { API_VERSION } from '@fairway/api/group';
import { type NewNodePool, type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { usageError } from '@fairway/service/command-error';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { TaintOption, WaitOptions } from '../command/options.ts';
import type { ObjectForm } from '../output/objects.ts';
import { poolReady } from '../progress/goal.ts';
import { waitFor } from '../progress/wait-for.ts';
import { announce } from './create-cluster.ts';
import { readManifest } from './manifest.ts';

export interface CreateNodePoolOptions extends WaitOptions {
  readonly name?: string;
  readonly filename?: string;
  readonly cluster?: string;
  readonly flavor?: string;
  readonly nodes: number;
  readonly min?: number;
  readonly max?: number;
  readonly zones?: readonly string[];
  readonly antiAffinity?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly TaintOption[];
  readonly floatingIps?: boolean;
  readonly image?: string;
  readonly rootVolume?: number;
  readonly output?: ObjectForm;
  readonly dryRun?: boolean;
}

export async function createNodePool(
  context: CliContext,
  globals: GlobalOptions,
  options: CreateNodePoolOptions,
): Promise<void> {
  await withConnection(context, globals, async (connection) => {
    const pools = await wantedPools(context, connection.namespace, options);
    const write = { dryRun: options.dryRun === true, fieldManager: 'fairway', signal: context.signal };
    for (const wanted of pools) {
      const pool = await connection.client.resource(nodePools).create(wanted, write);
      announce(context, nodePools, pool, options.output, options.dryRun);
    }
    if (options.dryRun || !options.wait) return;
    for (const { metadata, spec } of pools) {
      const { name = '', namespace = connection.namespace } = metadata;
      await waitFor(context, { ...connection, namespace }, spec.clusterName, poolReady(name), options.timeout);
    }
  });
}

async function wantedPools(
  context: CliContext,
  namespace: string,
  options: CreateNodePoolOptions,
): Promise<readonly NodePool[]> {
  const { name, filename, cluster, flavor } = options;
  if (filename !== undefined) {
    if (name !== undefined) throw usageError('a name and --filename are mutually exclusive: the file has the name');
    const { clusters, pools } = await readManifest(context, filename, namespace);
    if (clusters.length === 0 && pools.length > 0) return pools;
    throw usageError(
      `${filename} must only contain NodePools`,
      'fairway cluster create -f takes a Cluster with its pools',
    );
  }
  if (name === undefined) throw usageError('which pool? Give its name, or a file with -f');
  if (cluster === undefined || flavor === undefined) throw usageError('a new pool needs --cluster and --flavor');
  return [poolFromOptions(name, namespace, cluster, flavor, options)];
}

export function poolFromOptions(
  name: string,
  namespace: string,
  clusterName: string,
  flavor: string,
  options: CreateNodePoolOptions,
): NodePool {
  const { nodes, min, max, zones, antiAffinity, labels, taints, floatingIps, image, rootVolume } = options;
  const pool: NewNodePool = {
    apiVersion: API_VERSION,
    kind: nodePools.kind,
    metadata: { name, namespace },
    spec: {
      clusterName,
      flavor,
      replicas: nodes,
      ...(min !== undefined && { minReplicas: min }),
      ...(max !== undefined && { maxReplicas: max }),
      ...(zones && { availabilityZones: [...zones] }),
      ...(antiAffinity && { antiAffinity }),
      ...((labels || taints) && {
        template: { ...(labels && { metadata: { labels } }), ...(taints && { spec: { taints: [...taints] } }) },
      }),
      ...(floatingIps && { floatingIPs: { enabled: true } }),
      ...(image !== undefined && { image }),
      ...(rootVolume !== undefined && { rootVolume: { sizeGiB: rootVolume } }),
    },
  };
  // The server sets the defaults.
  return pool as NodePool;
}
