import { createHash } from 'node:crypto';
import type { Schema } from '../schema/schema.ts';

/** By the hash of their texts, as long as anybody uses them. */
const known = new Map<string, WeakRef<Schema>>();

const unused = new FinalizationRegistry<string>((hash) => {
  // Another with the same text may have taken its place.
  if (known.get(hash)?.deref() === undefined) known.delete(hash);
});

/**
 * The one object for all equal schemas in this process, fields in the same order: a thousand clusters with the same definition keep it, and what
 * is compiled from it, once. Nobody may change it, nor the one that is given.
 */
export function sharedSchema(schema: Schema): Schema {
  const hash = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
  const shared = known.get(hash)?.deref();
  if (shared !== undefined) return shared;
  known.set(hash, new WeakRef(schema));
  unused.register(schema, hash);
  return schema;
}
