import { type ApiRequest, ok, type Route } from '../http/api.ts';
import { badRequest, notFound } from './problem.ts';
import { shareRoute } from './route.ts';

type Labels = Readonly<Record<string, string>>;

/** Reads the labels under `metadata` in a body; throws if they are invalid. */
export function readMetadata(body: unknown, malformed = 'Malformed request body'): Record<string, string> {
  const labels = (body as Readonly<Record<string, unknown>> | null | undefined)?.['metadata'];
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) throw badRequest(malformed);
  if (Object.values(labels).some((value) => typeof value !== 'string')) throw badRequest(malformed);
  checkMetadata(labels as Labels);
  return labels as Record<string, string>;
}

export function checkMetadata(labels: Labels): void {
  for (const [key, value] of Object.entries(labels)) {
    if (key === '') throw badRequest('Metadata property key is blank.');
    if (key.length > 255) throw badRequest('Metadata property key is greater than 255 characters.');
    if (value === '') throw badRequest('Metadata property value is blank.');
    if (value.length > 1023) throw badRequest('Metadata property value is greater than 1023 characters.');
  }
}

interface Subject<R> {
  readonly collection: 'shares' | 'snapshots';
  /** The first microversion in which this resource has labels. */
  readonly since: number;
  readonly find: (request: ApiRequest, verb: 'read' | 'write') => R;
  readonly labelsOf: (row: R) => Labels;
  readonly store: (row: R, labels: Labels) => void;
}

/** Routes for the labels of shares and snapshots. */
export function metadataRoutes<R>({ collection, since, find, labelsOf, store }: Subject<R>): Route[] {
  const template = `/${collection}/{id}/metadata`;
  const item = (row: R, { params }: ApiRequest): string => {
    const key = params['key'] ?? '';
    if (!Object.hasOwn(labelsOf(row), key)) throw notFound('MetadataItemNotFound: Metadata item is not found.');
    return key;
  };
  return [
    shareRoute('GET', template, (request) => ok({ metadata: labelsOf(find(request, 'read')) }), { since }),
    shareRoute(
      'POST',
      template,
      (request) => {
        const row = find(request, 'write');
        const metadata = { ...labelsOf(row), ...readMetadata(request.body) };
        store(row, metadata);
        return ok({ metadata });
      },
      { since },
    ),
    shareRoute(
      'PUT',
      template,
      (request) => {
        const row = find(request, 'write');
        const metadata = readMetadata(request.body);
        store(row, metadata);
        return ok({ metadata });
      },
      { since },
    ),
    shareRoute(
      'GET',
      `${template}/{key}`,
      (request) => {
        const row = find(request, 'read');
        const key = item(row, request);
        return ok({ meta: { [key]: labelsOf(row)[key] } });
      },
      { since },
    ),
    shareRoute(
      'DELETE',
      `${template}/{key}`,
      (request) => {
        const row = find(request, 'write');
        const { [item(row, request)]: _removed, ...rest } = labelsOf(row);
        store(row, rest);
        return { status: 200 };
      },
      { since },
    ),
  ];
}
