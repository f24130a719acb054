import { z } from 'zod';

const Names = z.array(z.string());

/** Form 1: what is asked for. */
const Resource = z.strictObject({
  verbs: Names,
  /** `pods`, `pods/log`, `pods/*` or `*`. */
  resources: Names,
  /** An API group, whatever its name says, or `*`. */
  version: z.string(),
  namespace: z.string(),
});

const NonResource = z.strictObject({
  verbs: Names,
  /** A path, `*`, or a beginning that ends with `*`. */
  path: z.string(),
});

const Match = z.strictObject({ type: z.enum(['user', 'group', 'project', 'role']), values: Names });

const Permissions = z.record(z.string(), Names);

/**
 * One entry of a policy of k8s-keystone-auth, in one of its forms or in both. Fields that it takes for granted and would break down without are
 * required here.
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
/** Allows what any of its entries allows. */
export type Policy = z.infer<typeof Policy>;

const MOST_ISSUES = 5;
const LONGEST_MESSAGE = 1_000;

/** Parses the JSON of a policy. Throws an Error that says where it is wrong: in some places if in thousands, since it becomes part of a status. */
export function parsePolicy(text: string): Policy {
  const parsed = Policy.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const message = z.prettifyError(new z.ZodError(issues.slice(0, MOST_ISSUES)));
  const more = issues.length > MOST_ISSUES ? ` … and ${issues.length - MOST_ISSUES} more` : '';
  throw new Error(`${message.slice(0, LONGEST_MESSAGE)}${more}`);
}
