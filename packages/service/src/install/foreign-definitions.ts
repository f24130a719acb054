import { type CustomResourceDefinition, CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { isApiError } from '@fairway/kube/object/api-error';
import { definitions, SCHEMA_ANNOTATION } from './definitions.ts';

/**
 * Names of the CRDs that differ from those of this release. An API server drops fields that its CRD does not define, so
 * a newer Fairway would lose data that it writes. Rejects with Forbidden if the caller may not read CRDs.
 */
export async function foreignDefinitions(client: KubeClient): Promise<readonly string[]> {
  const ownDefinitions = definitions();
  const checkedNames = await Promise.all(
    ownDefinitions.map(async (crd) => ((await isForeign(client, crd)) ? crd.metadata.name : undefined)),
  );
  return checkedNames.filter((name) => name !== undefined);
}

async function isForeign(client: KubeClient, { metadata }: CustomResourceDefinition): Promise<boolean> {
  try {
    const found = await client.resource(CustomResourceDefinitions).get(metadata.name ?? '');
    return found.metadata.annotations?.[SCHEMA_ANNOTATION] !== metadata.annotations?.[SCHEMA_ANNOTATION];
  } catch (error) {
    if (isApiError(error, 'NotFound')) return true;
    throw error;
  }
}

export function foreignKindsMessage(names: readonly string[]): string {
  return `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} from another release of Fairway: run "fairway install" of the newest release in use`;
}
