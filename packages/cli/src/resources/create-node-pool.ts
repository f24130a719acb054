import { API_VERSION } from '@fairway/api/group';
import { type NewNodePool, type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { usageError } from '@fairway/service/command-error';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { NetworkOption, TaintOption, WaitOptions } from '../command/options.ts';
import type { ObjectForm } from '../output/objects.ts';
import { poolReady } from '../progress/goal.ts';
import { timeLeft, waitFor } from '../progress/wait-for.ts';
import { createObjects } from './create-objects.ts';
import { readManifest } from './manifest.ts';

export interface CreateNodePoolOptions extends WaitOptions {
  readonly name?: string;
  readonly filename?: string;
  readonly cluster?: string;
  readonly flavor?: string;
  readonly nodes?: number;
  readonly min?: number;
  readonly max?: number;
  readonly zones?: readonly string[];
  readonly antiAffinity?: boolean;
  readonly softAntiAffinity?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly TaintOption[];
  readonly tag?: readonly string[];
  readonly property?: Readonly<Record<string, string>>;
  readonly securityGroup?: readonly string[];
  readonly network?: readonly NetworkOption[];
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
    const pools = await requestedPools(context, connection.namespace, options);
    await createObjects(context, connection, { clusters: [], pools }, options);
    if (options.dryRun || !options.wait) return;
    const left = timeLeft(context, options.timeout);
    for (const { metadata, spec } of pools) {
      const { name = '', namespace = connection.namespace } = metadata;
      await waitFor(context, { ...connection, namespace }, spec.clusterName, poolReady(name), left());
    }
  });
}

/** Options that a file replaces. */
const OPTIONS_REPLACED_BY_FILE = [
  'cluster',
  'flavor',
  'nodes',
  'min',
  'max',
  'zones',
  'antiAffinity',
  'softAntiAffinity',
  'labels',
  'taints',
  'tag',
  'property',
  'securityGroup',
  'network',
  'floatingIps',
  'image',
  'rootVolume',
] as const satisfies readonly (keyof CreateNodePoolOptions)[];

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

async function requestedPools(
  context: CliContext,
  namespace: string,
  options: CreateNodePoolOptions,
): Promise<readonly NodePool[]> {
  const { name, filename, cluster, flavor } = options;
  if (filename !== undefined) {
    if (name !== undefined) throw usageError('a name and --filename are mutually exclusive: the file has the name');
    const conflictingOptions = OPTIONS_REPLACED_BY_FILE.filter((key) => options[key] !== undefined).map(
      (key) => `--${kebabCase(key)}`,
    );
    if (conflictingOptions.length > 0)
      throw usageError(`${conflictingOptions.join(', ')} and --filename are mutually exclusive: change the file`);
    const { clusters, pools } = await readManifest(context, filename, namespace);
    if (clusters.length === 0 && pools.length > 0) return pools;
    throw usageError(
      `${filename} must only contain NodePools`,
      'use "fairway cluster create -f FILE" for a Cluster with its pools',
    );
  }
  if (name === undefined) throw usageError('no pool given: pass its name, or a file with -f');
  if (cluster === undefined || flavor === undefined) throw usageError('a new pool needs --cluster and --flavor');
  if (options.antiAffinity && options.softAntiAffinity) {
    throw usageError('--anti-affinity and --soft-anti-affinity are mutually exclusive: choose one');
  }
  return [poolFromOptions(name, namespace, cluster, flavor, options)];
}

export function poolFromOptions(
  name: string,
  namespace: string,
  clusterName: string,
  flavor: string,
  options: CreateNodePoolOptions,
): NodePool {
  const {
    nodes,
    min,
    max,
    zones,
    antiAffinity,
    softAntiAffinity,
    tag,
    property,
    securityGroup,
    network,
    labels,
    taints,
    floatingIps,
    image,
    rootVolume,
  } = options;
  const pool: NewNodePool = {
    apiVersion: API_VERSION,
    kind: nodePools.kind,
    metadata: { name, namespace },
    spec: {
      clusterName,
      flavor,
      replicas: nodes ?? 1,
      ...(min !== undefined && { minReplicas: min }),
      ...(max !== undefined && { maxReplicas: max }),
      ...(zones && { availabilityZones: [...zones] }),
      ...(antiAffinity && { antiAffinity }),
      ...(softAntiAffinity && { antiAffinity: true, antiAffinityPolicy: 'Soft' }),
      ...((labels || taints) && {
        template: { ...(labels && { metadata: { labels } }), ...(taints && { spec: { taints: [...taints] } }) },
      }),
      ...(tag && { serverTags: [...tag] }),
      ...(property && { serverMetadata: property }),
      ...(securityGroup && { securityGroups: [...securityGroup] }),
      ...(network && { networks: [...network] }),
      ...(floatingIps && { floatingIPs: { enabled: true } }),
      ...(image !== undefined && { image }),
      ...(rootVolume !== undefined && { rootVolume: { sizeGiB: rootVolume } }),
    },
  };
  // The server sets the defaults.
  return pool as NodePool;
}
