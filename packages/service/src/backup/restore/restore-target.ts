import { GROUP, VERSION } from '@fairway/api/group';
import { KINDS } from '@fairway/api/kinds/all';
import { clusters } from '@fairway/api/kinds/cluster';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { CommandError } from '../../command-error.ts';
import { backedUpKind } from '../backed-up-kinds.ts';
import type { Lookup } from './restore-plan.ts';

const CHUNK_SIZE = 500;

/** Rejects with a CommandError if the API lacks Fairway's kinds, or the user may not write a cluster's identity. */
export async function requireTarget(client: KubeClient, server: string, signal: AbortSignal): Promise<void> {
  for (const kind of KINDS) {
    try {
      await client.resource(kind).list({ limit: 1, signal });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
      throw new CommandError(`${server} does not serve ${kind.plural} of ${GROUP}/${VERSION}`, {
        advice: 'make it a management cluster first: run "fairway install" with the same kubeconfig',
        cause: error,
      });
    }
  }
  if (await mayWriteStatus(client, signal)) return;
  throw new CommandError(`the user of the kubeconfig lacks permission to patch ${clusters.plural}/status`, {
    advice: 'a restore determines which cloud resources a cluster owns, so it requires an administrator of Fairway',
  });
}

const Review = z.object({ status: z.object({ allowed: z.boolean() }) });

async function mayWriteStatus(client: KubeClient, signal: AbortSignal): Promise<boolean> {
  const resourceAttributes = { group: GROUP, resource: clusters.plural, subresource: 'status', verb: 'patch' };
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  const response = await client.raw({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  return Review.parse(JSON.parse(await response.text())).status.allowed;
}

/** The target's current objects of the same kinds and namespaces as these objects. */
export async function readTarget(
  client: KubeClient,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<Lookup> {
  const places = new Map<ResourceType, Set<string | undefined>>();
  for (const object of objects) {
    const type = backedUpKind(object);
    if (type === undefined) continue;
    places.set(type, (places.get(type) ?? new Set()).add(object.metadata.namespace));
  }
  const found = new Map<string, KubeObject>();
  for (const [type, namespaces] of places) {
    for (const namespace of namespaces) {
      let next: string | undefined;
      do {
        const list = await client.resource(type).list({
          limit: CHUNK_SIZE,
          signal,
          ...(namespace !== undefined && { namespace }),
          ...(next !== undefined && { continue: next }),
        });
        for (const item of list.items) found.set(keyOf(type, namespace, item.metadata.name ?? ''), item);
        next = list.metadata.continue || undefined;
      } while (next !== undefined);
    }
  }
  return (type, namespace, name) => found.get(keyOf(type, namespace, name));
}

function keyOf({ group, plural }: ResourceType, namespace: string | undefined, name: string): string {
  return `${group}/${plural}/${namespace ?? ''}/${name}`;
}
