import { methodNotAllowed } from '../object/api-error.ts';
import type { Core } from './core.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { removeCollection } from './delete-collection.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import type { Answer, ResourceRequest } from './request.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';

/** Carries out a request whose verb the resource serves. */
export function dispatch(core: Core, request: ResourceRequest): Promise<Answer> {
  switch (request.verb) {
    case 'get':
      return get(core, request);
    case 'list':
      return list(core, request);
    case 'watch':
      return watch(core, request);
    case 'create':
      return create(core, request);
    case 'update':
      return update(core, request);
    case 'delete':
      return remove(core, request);
    case 'deletecollection':
      return removeCollection(core, request);
    default:
      throw methodNotAllowed(request.resource.subject(), request.verb);
  }
}
