import { isJsonArray, isJsonObject } from '@fairway/kube/object/json';
import { MAX_DEPTH, measureJson } from '@fairway/kube/object/json-bounds';

/** The event size above which kube-apiserver omits bodies, and therefore the limit for a single body. */
export const MAX_EVENT_CHARS = 100 * 1024;

/** Why a body is not in its event: the event would be too large, or the body is not JSON. */
export type OmittedBody = 'too large' | 'not JSON';

/** A body for an event. */
export type AuditedBody = { readonly value: unknown } | { readonly omitted: OmittedBody };

/** Creates a body for an event. It is not serialized if its length already exceeds the limit. */
export type BodyContent = string | Uint8Array | { readonly length: number; text(): string };

/** The content of a request or response for an event; undefined if there is none. Never throws. */
export function auditedBody(
  content: BodyContent,
  { omitManagedFields }: { readonly omitManagedFields: boolean },
): AuditedBody | undefined {
  if (content.length === 0) return undefined;
  if (content.length > MAX_EVENT_CHARS) return { omitted: 'too large' };
  let value: unknown;
  try {
    value = JSON.parse(textOf(content));
  } catch {
    return { omitted: 'not JSON' };
  }
  // Objects nested more deeply can't be serialized.
  const measured = measureJson(value, { maxDepth: MAX_DEPTH, maxChars: MAX_EVENT_CHARS });
  if (typeof measured !== 'number') return { omitted: 'too large' };
  return { value: omitManagedFields ? withoutManagedFields(value) : value };
}

function textOf(content: BodyContent): string {
  if (typeof content === 'string') return content;
  return 'text' in content ? content.text() : Buffer.from(content).toString();
}

/** Applies a function to an object, or to each item of a list. */
function withoutManagedFields(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { metadata, items } = value;
  return {
    ...value,
    ...(isJsonObject(metadata) && { metadata: withoutField(metadata) }),
    ...(isJsonArray(items) && { items: items.map(withoutManagedFields) }),
  };
}

function withoutField(metadata: Record<string, unknown>): object {
  const { managedFields: _, ...rest } = metadata;
  return rest;
}
