import { z } from 'zod';

const Names = z.array(z.string());

/** Form 1: resource requests. */
const Resource = z.strictObject({
  verbs: Names,
  /** `pods`, `pods/log`, `pods/*` or `*`. */
  resources: Names,
  /** An API group, despite its name, or `*`. */
  version: z.string(),
  namespace: z.string(),
});

const NonResource = z.strictObject({
  verbs: Names,
  /** A path, `*`, or a prefix followed by `*`. */
  path: z.string(),
});

const Match = z.strictObject({ type: z.enum(['user', 'group', 'project', 'role']), values: Names });

const Permissions = z.record(z.string(), Names);

/**
 * One entry of a k8s-keystone-auth policy, in one or both of its forms. Fields that k8s-keystone-auth assumes, and without
 * which it would crash, are required here.
 */
const PolicyEntry = z.strictObject({
  resource: Resource.optional(),
  nonresource: NonResource.optional(),
  match: z.array(Match).default([]),
  users: z.strictObject({ projects: Names.optional(), roles: Names.optional() }).optional(),
  resource_permissions: Permissions.optional(),
  nonresource_permissions: Permissions.optional(),
});
export type PolicyEntry = z.infer<typeof PolicyEntry>;

export const Policy = z.array(PolicyEntry);
/** Allows a request if any of its entries does. */
export type Policy = z.infer<typeof Policy>;

const MAX_ISSUES = 5;
const MAX_MESSAGE_LENGTH = 1_000;

/**
 * Parses the JSON of a policy. Throws an Error with the positions of only a few mistakes, because the message becomes
 * part of a status.
 */
export function parsePolicy(text: string): Policy {
  const parsed = Policy.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const message = z.prettifyError(new z.ZodError(issues.slice(0, MAX_ISSUES)));
  const more = issues.length > MAX_ISSUES ? ` … and ${issues.length - MAX_ISSUES} more` : '';
  throw new Error(`${message.slice(0, MAX_MESSAGE_LENGTH)}${more}`);
}
