import { randomUUID } from 'node:crypto';
import type { WebhookClientConfig } from '@fairway/kube/kinds/generated/types';
import { ApiError } from '@fairway/kube/object/api-error';
import { isJsonArray, isJsonObject } from '@fairway/kube/object/json';
import { type JsonBounds, MAX_DEPTH, measureJson } from '@fairway/kube/object/json-bounds';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import type { Converter } from '../crd/converter.ts';
import { MAX_BODY_BYTES } from '../server/body-bounds.ts';
import { OutboundError } from './outbound-error.ts';
import type { WebhookCaller } from './webhook-caller.ts';

const API_VERSION = 'apiextensions.k8s.io/v1';
const TIMEOUT_MS = 30_000;
/** Maximum total size of a review's objects; the size of the response is limited too. */
const MAX_REVIEW_CHARS = 1024 * 1024;
/** Limits on a returned object, the same as for an object sent by a client. */
const BOUNDS: JsonBounds = { maxDepth: MAX_DEPTH, maxChars: MAX_BODY_BYTES };

/**
 * Converts custom resources with their definition's webhook. Failures result in status 500, with kube-apiserver's
 * messages.
 */
export function webhookConverter(caller: WebhookCaller, config: WebhookClientConfig): Converter {
  return async (objects, apiVersion) => {
    const converted: KubeObject[] = [];
    for (const part of parts(objects)) converted.push(...(await callWebhook(caller, config, part, apiVersion)));
    return converted;
  };
}

function* parts(objects: readonly KubeObject[]): Generator<readonly KubeObject[]> {
  let part: KubeObject[] = [];
  let chars = 0;
  for (const object of objects) {
    const size = JSON.stringify(object).length;
    if (part.length > 0 && chars + size > MAX_REVIEW_CHARS) {
      yield part;
      part = [];
      chars = 0;
    }
    part.push(object);
    chars += size;
  }
  if (part.length > 0) yield part;
}

async function callWebhook(
  caller: WebhookCaller,
  config: WebhookClientConfig,
  objects: readonly KubeObject[],
  desiredAPIVersion: string,
): Promise<readonly KubeObject[]> {
  const [first] = objects;
  const by = `conversion webhook for ${first?.apiVersion}, Kind=${first?.kind}`;
  const uid = randomUUID();
  const review = {
    kind: 'ConversionReview',
    apiVersion: API_VERSION,
    request: { uid, desiredAPIVersion, objects },
  };
  let outcome: readonly unknown[] | string;
  try {
    outcome = convertedObjects(await caller.post(config, review, TIMEOUT_MS), uid);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    outcome = error.message;
  }
  if (typeof outcome === 'string') throw failed(`${by} failed: ${outcome}`);
  if (outcome.length !== objects.length) {
    throw failed(`${by} returned ${outcome.length} objects, expected ${objects.length}`);
  }
  return objects.map((object, index) => {
    const result = restoreMetadata(outcome[index], object, desiredAPIVersion);
    if (typeof result !== 'string') return result;
    throw failed(`${by} returned invalid converted object at index ${index}: ${result}`);
  });
}

const reviewSchema = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  response: z
    .object({
      uid: z.string().nullish(),
      result: z.object({ status: z.string().nullish(), message: z.string().nullish() }).nullish(),
      convertedObjects: z.unknown(),
    })
    .nullish(),
});

function convertedObjects(responseBody: unknown, uid: string): readonly unknown[] | string {
  const parsed = reviewSchema.safeParse(responseBody);
  if (!parsed.success) return `the ConversionReview cannot be read: ${parsed.error.issues[0]?.message}`;
  const { apiVersion, kind, response } = parsed.data;
  if (apiVersion !== API_VERSION || kind !== 'ConversionReview') {
    return `expected webhook response of ${API_VERSION}, Kind=ConversionReview, got ${apiVersion}, Kind=${kind}`;
  }
  if (!response) return 'no response provided';
  if (response.uid !== uid) {
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`;
  }
  const { status = '', message } = response.result ?? {};
  if (status !== 'Success') return message || `response.result.status was '${status}', not 'Success'`;
  return isJsonArray(response.convertedObjects) ? response.convertedObjects : [];
}

/** The converted object with the original metadata: only labels and annotations may change. */
function restoreMetadata(result: unknown, object: KubeObject, apiVersion: string): KubeObject | string {
  if (!isJsonObject(result) || !isJsonObject(result['metadata'])) return 'it is no object with metadata';
  if (result['apiVersion'] !== apiVersion) {
    return `invalid groupVersion (expected ${apiVersion}, received ${quoteValue(result['apiVersion'])})`;
  }
  if (result['kind'] !== object.kind)
    return `invalid kind (expected ${object.kind}, received ${quoteValue(result['kind'])})`;
  if (typeof measureJson(result, BOUNDS) !== 'number') {
    return `it is nested deeper than ${BOUNDS.maxDepth} levels or has more than ${BOUNDS.maxChars} characters`;
  }
  const { metadata } = result;
  for (const field of ['name', 'namespace', 'uid'] as const) {
    if ((metadata[field] ?? '') === (object.metadata[field] ?? '')) continue;
    return `must have the same ${field}: ${quoteValue(metadata[field])} != ${quoteValue(object.metadata[field])}`;
  }
  const { labels: _labels, annotations: _annotations, ...kept } = object.metadata;
  const { labels, annotations } = metadata;
  if (!isStringMap(labels) || !isStringMap(annotations)) return 'its labels and annotations must be strings';
  return { ...result, metadata: { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) } };
}

function quoteValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

function isStringMap(map: unknown): map is Record<string, string> | undefined {
  return map === undefined || (isJsonObject(map) && Object.values(map).every((value) => typeof value === 'string'));
}

function failed(message: string): ApiError {
  return new ApiError(500, 'Unknown', message);
}
