import type { Schema } from '@fairway/apiserver/schema/schema';
import { z } from 'zod';
import { structuralSchema } from '../schema/structural-schema.ts';

/**
 * The schema of a kind that is not stored: a POST to a Cluster subresource returns the same object with its status
 * filled in.
 */
export function requestSchema(
  { spec, status }: { readonly spec: z.ZodObject; readonly status: z.ZodObject },
  description: string,
): Schema {
  return structuralSchema(z.object({ spec: spec.prefault({}), status: status.optional() }).describe(description));
}
