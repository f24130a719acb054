import { z } from 'zod';

/**
 * Like `z.array`, for data from a cloud, but reports only the first invalid item. zod keeps an error for each, and 4
 * MiB can contain a million of them.
 */
export function list<S extends z.ZodType>(item: S) {
  return z.array(z.unknown()).transform((items, context): z.output<S>[] => {
    const parsed: z.output<S>[] = [];
    for (const [index, each] of items.entries()) {
      const result = item.safeParse(each);
      if (!result.success) return refuse(context, index, result.error);
      parsed.push(result.data);
    }
    return parsed;
  });
}

/** Like `z.record` with string keys, for data from a cloud, but reports only the first invalid value. */
export function record<S extends z.ZodType>(value: S) {
  return z.record(z.string(), z.unknown()).transform((entries, context): Record<string, z.output<S>> => {
    for (const [key, each] of Object.entries(entries)) {
      const result = value.safeParse(each);
      if (!result.success) return refuse(context, key, result.error);
      entries[key] = result.data;
    }
    return entries as Record<string, z.output<S>>;
  });
}

function refuse(context: z.RefinementCtx, key: PropertyKey, { issues: [first] }: z.ZodError): never {
  if (first !== undefined) {
    context.addIssue({ code: 'custom', path: [key, ...first.path], message: first.message });
  }
  return z.NEVER;
}
