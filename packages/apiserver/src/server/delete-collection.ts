import { isApiError } from '@fairway/kube/object/api-error';
import type { Core } from './core.ts';
import { deleteOptionsOf, isDryRun, removeObject } from './delete.ts';
import { representationOf } from './negotiation.ts';
import type { ApiResponse, ResourceRequest } from './request.ts';
import { selectionOf } from './selection.ts';
import { prepareSelection, selectedEntries } from './watch.ts';

/** Deletes the objects that the selectors match, and returns the list. */
export async function removeCollection(core: Core, request: ResourceRequest): Promise<ApiResponse> {
  const { resource } = request;
  const selection = selectionOf(resource, request.namespace, request.query, request.name);
  const representation = representationOf(request, 'list');
  const options = deleteOptionsOf(request);
  const dryRun = isDryRun(options);
  for (let left = prepareSelection(core, resource, selection); left; left = prepareSelection(core, resource, selection))
    await left;
  const entries = selectedEntries(core, selection);
  const converting = resource.prepare(entries);
  if (converting !== undefined) await converting;
  for (const { key } of entries) {
    const slash = key.indexOf('/');
    const namespace = slash < 0 ? '' : key.slice(0, slash);
    try {
      await removeObject(core, { ...request, dryRun, namespace, name: key.slice(slash + 1) }, options);
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
  await core.settled();
  const metadata = JSON.stringify({ resourceVersion: String(core.store.revision) });
  return {
    status: 200,
    headers: { 'content-type': representation.contentType },
    body: representation.listText(entries, metadata),
  };
}
