import { CLUSTER_LABEL } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { CloudList } from '../resources/cloud-list.ts';
import { itemsOf, readProfile } from '../resources/cloud-lists.ts';
import { KINDS_BY_NAME } from '../resources/kinds.ts';
import type { CompletedKind, NameScope } from './completed-names.ts';
import { plansWithVersion, upgradesOfCluster, versionsOfPlan } from './offered-names.ts';

/** Timeout for a completion. */
const COMPLETION_TIMEOUT_MS = 1000;

/** Names of a kind. Empty on timeout or error: a completion must not print errors, prompt, or block the shell. */
export async function namesOnServer(
  context: CliContext,
  globals: GlobalOptions,
  kind: CompletedKind,
  { cluster, plan, version, ...typed }: NameScope,
): Promise<readonly string[]> {
  const timeout = Promise.withResolvers<readonly string[]>();
  const timer = context.clock.after(COMPLETION_TIMEOUT_MS, () => timeout.resolve([]));
  const stop = new AbortController();
  const { kubeconfig = globals.kubeconfig, context: name = globals.context, namespace = globals.namespace } = typed;
  const options = {
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(name !== undefined && { context: name }),
    ...(namespace !== undefined && { namespace }),
  };
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const silent = { ...context, stderr: { write() {}, isTerminal: false }, isTerminal: false, signal };
  try {
    const names = withConnection(silent, options, (connection) =>
      namesOf(connection, kind, { cluster, plan, version, signal, nowMs: context.clock.now() }),
    );
    return await Promise.race([names, timeout.promise]);
  } catch {
    return [];
  } finally {
    timer.cancel();
    stop.abort();
  }
}

interface NameRequest extends Pick<NameScope, 'cluster' | 'plan' | 'version'> {
  readonly signal: AbortSignal;
  readonly nowMs: number;
}

async function namesOf(
  connection: Connection,
  kind: CompletedKind,
  { cluster, plan, version, signal, nowMs }: NameRequest,
): Promise<readonly string[]> {
  const { client, namespace } = connection;
  const options = { namespace, signal };
  switch (kind) {
    case 'namespace':
      return objectNames((await client.metadata(Namespaces).list({ signal })).items);
    case 'plan':
      return version === undefined
        ? objectNames((await client.metadata(plans).list({ signal })).items)
        : plansWithVersion(version, { client, signal, nowMs });
    case 'version':
      return versionsOfPlan(plan, { client, namespace, cluster, signal, nowMs });
    case 'upgradeversion':
      return upgradesOfCluster({ client, namespace, cluster, signal });
    case 'flavor':
      return cloudResourceNames(connection, 'flavors', signal);
    case 'zone':
      return cloudResourceNames(connection, 'zones', signal);
    case 'image':
      return cloudResourceNames(connection, 'images', signal);
    case 'network':
    case 'subnet': {
      const { status } = await readProfile(connection, undefined, signal);
      const networks = status?.networks ?? [];
      return kind === 'network'
        ? networks.map(({ id }) => id)
        : networks.flatMap(({ subnets }) => subnets.map(({ id }) => id));
    }
    case 'snapshot': {
      const { status } = await client.resource(clusters).get(cluster ?? '', options);
      return status?.etcd?.snapshots?.map(({ name }) => name) ?? [];
    }
    case 'nodepool': {
      if (cluster === undefined) return objectNames((await client.metadata(nodePools).list(options)).items);
      const { items } = await client.resource(nodePools).list(options);
      return objectNames(items.filter(({ spec }) => spec.clusterName === cluster));
    }
    case 'machine': {
      const selection = cluster === undefined ? {} : { labelSelector: `${CLUSTER_LABEL}=${cluster}` };
      return objectNames((await client.metadata(machines).list({ ...options, ...selection })).items);
    }
    case 'cluster':
    case 'cloudcredential':
    case 'kubernetesrelease':
      return objectNames((await client.metadata(KINDS_BY_NAME[kind]).list(options)).items);
  }
}

function objectNames(
  objects: readonly { readonly metadata: { readonly name?: string | undefined } }[],
): readonly string[] {
  return objects.flatMap(({ metadata }) => metadata.name ?? []);
}

async function cloudResourceNames(
  connection: Connection,
  list: CloudList,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { status } = await readProfile(connection, undefined, signal);
  return itemsOf(status ?? {}, list)?.map(({ name }) => name) ?? [];
}
