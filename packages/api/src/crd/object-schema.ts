import type { Schema } from '@fairway/apiserver/schema/schema';
import type { Kind } from '../kinds/kind.ts';
import { structuralSchema } from '../schema/structural-schema.ts';

/** Structural schema of the whole object, without cross-field rules. The API server defines `metadata`. */
export function objectSchema(kind: Kind): Schema {
  return {
    type: 'object',
    description: kind.description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: 'Schema version of this representation of the object.' },
      kind: { type: 'string', description: 'Kind of the object.' },
      metadata: { type: 'object', description: "Name, namespace, labels and the object's history." },
      spec: structuralSchema(kind.spec),
      ...(kind.status && { status: structuralSchema(kind.status) }),
    },
  };
}
