import type { Stored } from '../api/resources.ts';

/** An object for editing, without fields that the server manages. */
export function editable(object: Stored): object {
  const { apiVersion, kind, metadata, ...rest } = object as Stored & { readonly status?: unknown };
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
export function readable(object: Stored): object {
  const { status } = object as Stored & { readonly status?: unknown };
  return { ...editable(object), ...(status !== undefined && { status }) };
}

/** Whether both are the same object, whatever its content. */
export function isSameObject(a: object, b: object): boolean {
  return identityOf(a) === identityOf(b);
}

function identityOf(object: object): string {
  const { apiVersion, kind, metadata } = object as Partial<Stored>;
  return JSON.stringify([apiVersion, kind, metadata?.namespace, metadata?.name]);
}
