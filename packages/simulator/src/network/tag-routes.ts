import type { z } from 'zod';
import { type ApiRequest, type ApiResponse, noContent, ok, type Route } from '../http/api.ts';
import { pythonRepr } from '../http/parse-body.ts';
import type { World } from '../world.ts';
import { badRequest, invalidInput, missing } from './problem.ts';
import type { Resource } from './records.ts';
import { findOwn, findVisible, type ResourceKind } from './resource.ts';
import { networkTime } from './stamp.ts';

const MAX_TAGS = 50;
const MAX_TAG_LENGTH = 255;

/** Routes of the standard-attr-tag extension for one resource. */
export function tagRoutes<R extends Resource, C extends z.ZodObject, U extends z.ZodObject>(
  world: World,
  kind: ResourceKind<R, C, U>,
): Route[] {
  const template = `/v2.0/${kind.path}/{id}/tags`;
  const own = ({ access, params }: ApiRequest): R => findOwn(kind, access, params['id'] ?? '', `update_${plural}_tags`);
  const plural = kind.plural;
  const tagOf = ({ params }: ApiRequest): string => params['tag'] ?? '';

  function store(row: R, tags: readonly string[]): readonly string[] {
    if (tags.length > MAX_TAGS) throw badRequest(`The number of tags exceed the per-resource limit of ${MAX_TAGS}`);
    const invalidTag = tags.find((tag) => tag.length > MAX_TAG_LENGTH || tag.length === 0);
    if (invalidTag !== undefined) {
      throw invalidInput(`${pythonRepr(invalidTag)} exceeds maximum length of ${MAX_TAG_LENGTH}`);
    }
    kind.table.put({ ...row, tags, revision_number: row.revision_number + 1, updated_at: networkTime(world) });
    return tags;
  }

  function replace(request: ApiRequest): ApiResponse {
    const body = request.body as { readonly tags?: unknown } | undefined;
    const tags = body?.tags;
    if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) {
      throw badRequest("Invalid input for tags. Reason: 'tags' is not a list of strings.");
    }
    return ok({ tags: store(own(request), [...new Set(tags)].sort()) });
  }

  return [
    {
      method: 'GET',
      template,
      handle: ({ access, params }) => ok({ tags: findVisible(kind, access, params['id'] ?? '').tags }),
    },
    { method: 'PUT', template, handle: replace },
    {
      method: 'DELETE',
      template,
      handle: (request) => {
        store(own(request), []);
        return noContent;
      },
    },
    {
      method: 'GET',
      template: `${template}/{tag}`,
      handle: (request) => {
        const row = findVisible(kind, request.access, request.params['id'] ?? '');
        if (!row.tags.includes(tagOf(request))) throw tagNotFound(tagOf(request));
        return noContent;
      },
    },
    {
      method: 'PUT',
      template: `${template}/{tag}`,
      handle: (request) => {
        const row = own(request);
        if (!row.tags.includes(tagOf(request))) store(row, [...row.tags, tagOf(request)].sort());
        return { status: 201 };
      },
    },
    {
      method: 'DELETE',
      template: `${template}/{tag}`,
      handle: (request) => {
        const row = own(request);
        if (!row.tags.includes(tagOf(request))) throw tagNotFound(tagOf(request));
        store(
          row,
          row.tags.filter((tag) => tag !== tagOf(request)),
        );
        return noContent;
      },
    },
  ];
}

function tagNotFound(tag: string): Error {
  return missing('TagNotFound', `Tag ${tag} could not be found.`);
}
