import { z } from 'zod';
import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import { parseBody } from '../http/parse-body.ts';
import { badRequest, notFound } from './problem.ts';
import { volumeRoute } from './volume-route.ts';
import { Metadata } from './volume-schema.ts';

type Labels = Readonly<Record<string, string>>;

/** A kind of resource with metadata: how to find a resource, who may change it, and how to store it. */
export interface ResourceWithMetadata<R extends { readonly id: string; readonly metadata: Labels }> {
  /** Name in paths: `volumes`. */
  readonly collection: string;
  /** Name in errors: `Volume`. */
  readonly noun: string;
  readonly find: (request: ApiRequest) => R;
  readonly findForChange: (request: ApiRequest, verb: 'create' | 'update' | 'delete') => R;
  readonly store: (row: R, metadata: Labels) => void;
}

const MetadataBody = z.strictObject({ metadata: Metadata });
const MetadataItem = z.strictObject({ meta: Metadata });

/** Routes for `/volumes/{id}/metadata` and its items, and their equivalents for snapshots. */
export function metadataRoutes<R extends { readonly id: string; readonly metadata: Labels }>(
  resource: ResourceWithMetadata<R>,
): Route[] {
  const template = `/${resource.collection}/{id}/metadata`;
  const { find, findForChange, store } = resource;

  const valueOf = (row: R, key: string): string => {
    const value = row.metadata[key];
    if (value === undefined) throw notFound(`${resource.noun} ${row.id} has no metadata with key ${key}.`);
    return value;
  };
  const keyOf = ({ params }: ApiRequest): string => params['key'] ?? '';

  const change = (request: ApiRequest, isMerge: boolean): ApiResponse => {
    const row = findForChange(request, isMerge ? 'create' : 'update');
    const { metadata } = parseBody(MetadataBody, request.body);
    const after = isMerge ? { ...row.metadata, ...metadata } : metadata;
    store(row, after);
    return ok({ metadata: after });
  };

  return [
    ...volumeRoute('GET', template, (request) => ok({ metadata: find(request).metadata })),
    ...volumeRoute('POST', template, (request) => change(request, true)),
    ...volumeRoute('PUT', template, (request) => change(request, false)),
    ...volumeRoute('GET', `${template}/{key}`, (request) => {
      const key = keyOf(request);
      return ok({ meta: { [key]: valueOf(find(request), key) } });
    }),
    ...volumeRoute('PUT', `${template}/{key}`, (request) => {
      const row = findForChange(request, 'update');
      const { meta } = parseBody(MetadataItem, request.body);
      if (meta[keyOf(request)] === undefined) throw badRequest('Request body and URI mismatch');
      if (Object.keys(meta).length > 1) throw badRequest('Request body contains too many items');
      store(row, { ...row.metadata, ...meta });
      return ok({ meta });
    }),
    ...volumeRoute('DELETE', `${template}/{key}`, (request) => {
      const row = findForChange(request, 'delete');
      const key = keyOf(request);
      valueOf(row, key);
      store(row, Object.fromEntries(Object.entries(row.metadata).filter(([other]) => other !== key)));
      return { status: 200 };
    }),
  ];
}
