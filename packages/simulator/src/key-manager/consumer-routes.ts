import { z } from 'zod';
import { type ApiRequest, type ApiResponse, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { type Form, readJson } from './body.ts';
import { page } from './list.ts';
import { findContainer, findSecret, isUuid } from './lookup.ts';
import { requireRight } from './policy.ts';
import { notFound, refuse } from './problem.ts';
import { requireKeyQuota } from './quota.ts';
import type { ContainerConsumer, KeyContainer, KeySecret, ProtectedObject, SecretConsumer } from './records.ts';
import { consumersRef, timestamps, viewContainer, viewSecret } from './views.ts';

const SecretConsumerBody = z.object({
  service: z.string().min(1).max(255),
  resource_type: z.string().min(1).max(255),
  resource_id: z.string().min(1),
});
const ContainerConsumerBody = z.object({ name: z.string().min(1).max(36), URL: z.string().min(1).max(255) });

interface Consumer {
  readonly projectId: string;
  readonly createdMs: number;
}

interface Subject<
  R extends ProtectedObject & { readonly consumers: readonly C[] },
  C extends Consumer,
  S extends z.ZodType,
> {
  readonly collection: 'secrets' | 'containers';
  readonly kind: 'secret' | 'container';
  /** Name of the resource's consumers in messages. */
  readonly name: 'SecretConsumer' | 'ContainerConsumer';
  readonly form: Form<S>;
  /** The fields that identify a consumer. */
  readonly fields: readonly (keyof z.infer<S> & keyof C)[];
  readonly find: (request: ApiRequest) => R;
  readonly view: (root: string, row: R) => object;
  readonly store: (row: R, consumers: readonly C[]) => R;
}

/** Consumers of secrets and containers. Services register as consumers to prevent the deletion of resources in use. */
export function consumerRoutes(world: World): Route[] {
  const nowMs = (): number => world.clock.now();
  return [
    ...routesOf<KeySecret, SecretConsumer, typeof SecretConsumerBody>(world, {
      collection: 'secrets',
      kind: 'secret',
      name: 'SecretConsumer',
      form: { name: 'Secret Consumer', schema: SecretConsumerBody },
      fields: ['service', 'resource_type', 'resource_id'],
      find: (request) => findSecret(world, request),
      view: (root, { payload: _hidden, ...row }) =>
        viewSecret(root, { ...row, payload: null }, { withConsumers: true }),
      store: (row, consumers) => world.tables.keySecrets.put({ ...row, consumers, updatedMs: nowMs() }),
    }),
    ...routesOf<KeyContainer, ContainerConsumer, typeof ContainerConsumerBody>(world, {
      collection: 'containers',
      kind: 'container',
      name: 'ContainerConsumer',
      form: { name: 'Consumer', schema: ContainerConsumerBody },
      fields: ['name', 'URL'],
      find: (request) => findContainer(world, request),
      view: viewContainer,
      store: (row, consumers) => world.tables.keyContainers.put({ ...row, consumers, updatedMs: nowMs() }),
    }),
  ];
}

function routesOf<
  R extends ProtectedObject & { readonly consumers: readonly C[] },
  C extends Consumer,
  S extends z.ZodType,
>(world: World, subject: Subject<R, C, S>): Route[] {
  const { collection, kind, name, form, fields, find, view, store } = subject;
  const template = `/v1/${collection}/{id}/consumers`;
  const found = (request: ApiRequest, operation: string): R => {
    const row = find(request);
    requireRight(request.access, 'get', row, operation, kind);
    return row;
  };
  const isSame = (a: C, b: z.infer<S>): boolean =>
    fields.every((field) => (a[field] as unknown) === (b as Readonly<Record<PropertyKey, unknown>>)[field]);
  return [
    {
      method: 'GET',
      template,
      handle(request) {
        const row = found(request, `${name}s(s) retrieval`);
        return page(request, {
          name: 'consumers',
          path: `${collection}/${row.id}/consumers`,
          rows: kind === 'container' ? row.consumers.toSorted(byName) : row.consumers,
          view: ({ projectId: _whose, createdMs, ...rest }) => ({
            ...timestamps({ createdMs, updatedMs: createdMs }),
            ...rest,
          }),
        });
      },
    },
    {
      method: 'POST',
      template,
      handle(request) {
        const { access, serviceUrl } = request;
        const row = found(request, `${name} creation`);
        const fieldsOf = readJson(request, form);
        requireKeyQuota(world, access.projectId, 'consumers', `${name} creation`);
        const isKnown = row.consumers.some((consumer) => isSame(consumer, fieldsOf));
        const consumer = {
          ...pick(fieldsOf, fields),
          projectId: access.projectId,
          createdMs: world.clock.now(),
        } as unknown as C;
        const kept = isKnown ? row : store(row, [...row.consumers, consumer]);
        return { ...ok(view(serviceUrl, kept)), headers: { Location: consumersRef(serviceUrl, row.id) } };
      },
    },
    {
      method: 'DELETE',
      template,
      handle(request) {
        const { access, serviceUrl } = request;
        const row = found(request, `${name} deletion`);
        const fieldsOf = readJson(request, form);
        const removed = row.consumers.find((consumer) => isSame(consumer, fieldsOf));
        if (removed === undefined) throw notFound('Consumer not found.');
        if (removed.projectId !== access.projectId && row.projectId !== access.projectId) {
          throw refuse(403, 'Not Allowed. Sorry, only the creator of a consumer can delete it.');
        }
        return ok(
          view(
            serviceUrl,
            store(
              row,
              row.consumers.filter((consumer) => consumer !== removed),
            ),
          ),
        );
      },
    },
    { method: 'GET', template: `${template}/{consumer}`, handle: (request) => showConsumer(find, request) },
  ];
}

/** Always responds with 404: a single consumer cannot be requested, because no response contains a consumer's ID. */
function showConsumer(find: (request: ApiRequest) => ProtectedObject, request: ApiRequest): ApiResponse {
  find(request);
  if (!isUuid(request.params['consumer'] ?? '')) throw notFound('Not Found. Provided consumer id is invalid.');
  throw notFound('Consumer not found.');
}

function pick(value: unknown, fields: readonly PropertyKey[]): object {
  const object = value as Readonly<Record<PropertyKey, unknown>>;
  return Object.fromEntries(fields.map((field) => [field, object[field]]));
}

function byName(a: Consumer, b: Consumer): number {
  const [x = '', y = ''] = [a, b].map((consumer) => ('name' in consumer ? String(consumer.name) : ''));
  return x < y ? -1 : x > y ? 1 : 0;
}
