import { createHash } from 'node:crypto';
import type { Schema } from '../schema/schema.ts';

/** Schemas by the hash of their text, while they are in use. */
const known = new Map<string, WeakRef<Schema>>();

const unused = new FinalizationRegistry<string>((hash) => {
  // Another schema with the same text may have replaced it.
  if (known.get(hash)?.deref() === undefined) known.delete(hash);
});

/**
 * The shared object for all equal schemas in this process, with fields in the same order: a thousand clusters with the
 * same definition share it and everything compiled from it. Do not change the result or the argument.
 */
export function sharedSchema(schema: Schema): Schema {
  const hash = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
  const shared = known.get(hash)?.deref();
  if (shared !== undefined) return shared;
  known.set(hash, new WeakRef(schema));
  unused.register(schema, hash);
  return schema;
}
