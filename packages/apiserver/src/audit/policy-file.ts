import { load } from 'js-yaml';
import { z } from 'zod';
import { AUDIT_LEVELS, AUDIT_STAGES } from './audit-level.ts';

const Names = z.array(z.string()).default([]);
const Stages = z.array(z.enum(AUDIT_STAGES)).default([]);

const GroupResources = z
  .strictObject({
    group: z
      .string()
      .regex(
        /^[a-z0-9.-]*$/,
        'must be the name of an API group without its version: "" for core, "apps", "fairway.dev"',
      )
      .default(''),
    resources: Names,
    resourceNames: Names,
  })
  .refine(({ resources, resourceNames }) => resourceNames.length === 0 || resources.length > 0, {
    error: 'names resourceNames without resources: specify the resources',
    path: ['resourceNames'],
  });

const NonResourceURL = z
  .string()
  .regex(/^(?:\*|\/[^*]*\*?)$/, 'must be "*" or begin with "/", with "*" at its end alone, such as "/healthz*"');

const Rule = z
  .strictObject({
    level: z.enum(AUDIT_LEVELS),
    users: Names,
    userGroups: Names,
    verbs: Names,
    resources: z.array(GroupResources).default([]),
    namespaces: Names,
    nonResourceURLs: z.array(NonResourceURL).default([]),
    omitStages: Stages,
    omitManagedFields: z.boolean().optional(),
  })
  .refine(
    ({ nonResourceURLs, resources, namespaces }) =>
      nonResourceURLs.length === 0 || (resources.length === 0 && namespaces.length === 0),
    { error: 'applies to both resources and non-resource URLs: make two rules of it', path: ['nonResourceURLs'] },
  );

const Policy = z.strictObject({
  apiVersion: z.literal('audit.k8s.io/v1'),
  kind: z.literal('Policy'),
  metadata: z.looseObject({}).optional(),
  omitStages: Stages,
  omitManagedFields: z.boolean().default(false),
  rules: z.array(Rule).min(1, 'is empty, so nothing would be audited: add a rule such as "level: Metadata"'),
});

/** The contents of a file for kube-apiserver's `--audit-policy-file`. */
export type PolicyFile = z.output<typeof Policy>;
export type PolicyRule = PolicyFile['rules'][number];

/** Thrown for a policy that is not valid; the message contains the field and valid values. */
export class AuditPolicyError extends Error {
  override readonly name = 'AuditPolicyError';
}

/** Parses an `audit.k8s.io/v1` Policy in YAML or JSON. */
export function parsePolicyFile(text: string): PolicyFile {
  let document: unknown;
  try {
    document = load(text);
  } catch (error) {
    throw new AuditPolicyError(`not valid YAML: ${(error as Error).message}`, { cause: error });
  }
  const parsed = Policy.safeParse(document ?? {});
  if (!parsed.success) throw new AuditPolicyError(z.prettifyError(parsed.error));
  return parsed.data;
}
