import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import { type Connection, withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { CloudList } from '../resources/cloud-list.ts';
import { itemsOf, readProfile } from '../resources/cloud-lists.ts';
import type { ShownKindName } from '../resources/kind-names.ts';
import { KINDS_BY_NAME } from '../resources/kinds.ts';

/** What is completed by name: objects, and what their fields may refer to. */
export type CompletedKind = ShownKindName | 'version' | 'flavor' | 'zone' | 'image' | 'network' | 'subnet';

/** Timeout of a completion. */
const PATIENCE_MS = 1000;

/** Names of a kind; empty on timeout or error: a completion must not print errors, nor keep the shell waiting. */
export async function namesOnServer(
  context: CliContext,
  globals: GlobalOptions,
  kind: CompletedKind,
): Promise<readonly string[]> {
  const late = Promise.withResolvers<readonly string[]>();
  const timer = context.clock.after(PATIENCE_MS, () => late.resolve([]));
  const stop = new AbortController();
  try {
    const signal = AbortSignal.any([context.signal, stop.signal]);
    const names = withConnection(context, globals, (connection) => namesOf(connection, kind, signal));
    return await Promise.race([names, late.promise]);
  } catch {
    return [];
  } finally {
    timer.cancel();
    stop.abort();
  }
}

async function namesOf(connection: Connection, kind: CompletedKind, signal: AbortSignal): Promise<readonly string[]> {
  const { client, namespace } = connection;
  switch (kind) {
    case 'plan':
      return namesIn((await client.metadata(plans).list({ signal })).items);
    case 'version': {
      const releases = (await client.resource(kubernetesReleases).list({ signal })).items;
      return releases.flatMap(({ spec }) => spec.minor);
    }
    case 'flavor':
      return inCloud(connection, 'flavors', signal);
    case 'zone':
      return inCloud(connection, 'zones', signal);
    case 'image':
      return inCloud(connection, 'images', signal);
    case 'network':
    case 'subnet': {
      const { status } = await readProfile(connection, undefined, signal);
      const networks = status?.networks ?? [];
      return kind === 'network'
        ? networks.map(({ id }) => id)
        : networks.flatMap(({ subnets }) => subnets.map(({ id }) => id));
    }
    case 'cluster':
    case 'nodepool':
    case 'machine':
    case 'cloudcredential':
    case 'kubernetesrelease':
      return namesIn((await client.metadata(KINDS_BY_NAME[kind]).list({ namespace, signal })).items);
  }
}

function namesIn(objects: readonly { readonly metadata: { readonly name?: string | undefined } }[]): readonly string[] {
  return objects.flatMap(({ metadata }) => metadata.name ?? []);
}

async function inCloud(connection: Connection, list: CloudList, signal: AbortSignal): Promise<readonly string[]> {
  const { status } = await readProfile(connection, undefined, signal);
  return itemsOf(status ?? {}, list)?.map(({ name }) => name) ?? [];
}
