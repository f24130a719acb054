import type { StoredObject } from '../api/resources.ts';

/** An object for editing, without fields that the server manages. */
export function editableObject(object: StoredObject): object {
  const { apiVersion, kind, metadata, ...rest } = object as StoredObject & { readonly status?: unknown };
  const { status: _status, ...content } = rest;
  const { name, namespace, labels, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) },
    ...content,
  };
}

/** An object for display. */
export function readableMetadata(object: StoredObject): object {
  const { status } = object as StoredObject & { readonly status?: unknown };
  return { ...editableObject(object), ...(status !== undefined && { status }) };
}

/** Whether both are the same object, regardless of content. */
export function isSameObject(a: object, b: object): boolean {
  return identityOf(a) === identityOf(b);
}

function identityOf(object: object): string {
  const { apiVersion, kind, metadata } = object as Partial<StoredObject>;
  return JSON.stringify([apiVersion, kind, metadata?.namespace, metadata?.name]);
}
