import { z } from 'zod';
import { type ApiRequest, type ApiResponse, created, noContent, ok, type Route } from '../http/api.ts';
import type { World } from '../world.ts';
import { readAnyJson, readJson } from './body.ts';
import { findSecret } from './lookup.ts';
import { type Right, requireRight } from './policy.ts';
import { methodNotAllowed, notFound, refuse } from './problem.ts';
import type { KeySecret } from './records.ts';
import { secretRef } from './views.ts';

const MetadataBody = z.object({ metadata: z.record(z.string(), z.unknown()) });
const MetadataItem = z.strictObject({ key: z.string().max(255), value: z.string().max(255) });

/** A secret's user metadata, with keys in lower case. */
export function secretMetadataRoutes(world: World): Route[] {
  const template = '/v1/secrets/{id}/metadata';
  const find = (request: ApiRequest, right: Right, operation: string): KeySecret => {
    const secret = findSecret(world, request);
    requireRight(request.access, right, secret, operation);
    return secret;
  };
  const store = (secret: KeySecret, metadata: KeySecret['metadata']): void => {
    world.tables.keySecrets.put({ ...secret, metadata });
  };
  return [
    {
      method: 'GET',
      template,
      handle: (request) => ok({ metadata: find(request, 'get', 'Secret metadata retrieval').metadata }),
    },
    {
      method: 'PUT',
      template,
      handle(request) {
        const secret = find(request, 'change', 'Secret metadata creation');
        const { metadata } = readJson(request, { name: 'SecretMetadata', schema: MetadataBody, listsMissing: true });
        store(secret, checkedMetadata(metadata));
        return created({ metadata_ref: `${secretRef(request.serviceUrl, secret.id)}/metadata` });
      },
    },
    {
      method: 'POST',
      template,
      handle(request) {
        const secret = find(request, 'change', 'Secret metadatum creation');
        const { key, value } = item(readJson(request, ITEM_FORM));
        if (Object.hasOwn(secret.metadata, key)) {
          throw refuse(409, 'Conflict. Key in request is already in the secret metadata');
        }
        store(secret, { ...secret.metadata, [key]: value });
        const Location = `${secretRef(request.serviceUrl, secret.id)}/metadata/${key}`;
        return { ...created({ key, value }), headers: { Location } };
      },
    },
    {
      method: 'GET',
      template: `${template}/{key}`,
      handle: (request) => showItem(find(request, 'get', 'Secret metadatum retrieval'), request),
    },
    {
      method: 'PUT',
      template: `${template}/{key}`,
      handle(request) {
        const secret = find(request, 'change', 'Secret metadatum update');
        const { key, value } = item(readAnyJson(request, ITEM_FORM));
        const requestedKey = request.params['key'] ?? '';
        if (!Object.hasOwn(secret.metadata, requestedKey)) throw notFound('Secret metadata not found.');
        // Barbican's message is also incomplete.
        if (requestedKey !== key) throw refuse(409, 'Key in request data does not match key in the ');
        store(secret, { ...secret.metadata, [key]: value });
        return ok({ key, value });
      },
    },
    {
      method: 'DELETE',
      template: `${template}/{key}`,
      handle(request) {
        const secret = find(request, 'change', 'Secret metadatum removal');
        const { [request.params['key'] ?? '']: _removed, ...rest } = secret.metadata;
        store(secret, rest);
        return noContent;
      },
    },
    ...['POST', 'PATCH'].map(
      (method): Route => ({
        method,
        template: `${template}/{key}`,
        handle(request) {
          findSecret(world, request);
          throw methodNotAllowed();
        },
      }),
    ),
  ];
}

const ITEM_FORM = { name: 'SecretMetadatum', schema: MetadataItem, listsMissing: true } as const;

function showItem({ metadata }: KeySecret, { params }: ApiRequest): ApiResponse {
  const key = params['key'] ?? '';
  if (!Object.hasOwn(metadata, key)) throw notFound('Secret metadata not found.');
  return ok({ key, value: metadata[key] });
}

function item({ key, value }: z.infer<typeof MetadataItem>): z.infer<typeof MetadataItem> {
  requireUrlSafeKey(key);
  return { key: key.toLowerCase(), value };
}

function checkedMetadata(metadata: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(metadata).map(([key, value]) => {
    requireUrlSafeKey(key);
    if (typeof value !== 'string') throw refuse(400, 'Invalid Metadata. Keys and Values must be Strings.');
    return [key.toLowerCase(), value];
  });
  return Object.fromEntries(entries);
}

function requireUrlSafeKey(key: string): void {
  if (!/^[A-Za-z0-9_-]*$/.test(key)) throw refuse(400, 'Invalid Key. Key must be URL safe.');
}
