import type { RequestAttributes } from '@fairway/apiserver/auth/user';
import { z } from 'zod';
import type { ReviewAccess, ReviewToken } from '../runtime.ts';

const TokenReview = z.object({
  apiVersion: z.literal('authentication.k8s.io/v1'),
  kind: z.literal('TokenReview'),
  spec: z.object({ token: z.string() }),
});

const Text = z.string().default('');

const AccessReview = z.object({
  apiVersion: z.literal('authorization.k8s.io/v1'),
  kind: z.literal('SubjectAccessReview'),
  spec: z.object({
    user: Text,
    uid: Text,
    groups: z.array(z.string()).default([]),
    extra: z.record(z.string(), z.array(z.string())).default({}),
    resourceAttributes: z
      .object({
        namespace: Text,
        verb: Text,
        group: Text,
        version: Text,
        resource: Text,
        subresource: Text,
        name: Text,
      })
      .optional(),
    nonResourceAttributes: z.object({ path: Text, verb: Text }).optional(),
  }),
});

/** The TokenReview with its status. Throws for anything else. */
export async function handleTokenReview(body: unknown, reviewToken: ReviewToken): Promise<object> {
  const { apiVersion, kind, spec } = TokenReview.parse(body);
  const user = await reviewToken(spec.token);
  return { apiVersion, kind, status: user === undefined ? { authenticated: false } : { authenticated: true, user } };
}

/**
 * The SubjectAccessReview with its status, which never denies, because other authorizers are consulted first. Throws for any
 * other input.
 */
export async function handleAccessReview(body: unknown, reviewAccess: ReviewAccess | undefined): Promise<object> {
  const { apiVersion, kind, spec } = AccessReview.parse(body);
  const attributes = attributesOf(spec);
  const allowed = attributes !== undefined && (await reviewAccess?.authorize(attributes))?.allowed === true;
  return { apiVersion, kind, status: { allowed } };
}

function attributesOf(spec: z.infer<typeof AccessReview>['spec']): RequestAttributes | undefined {
  const { user: username, uid, groups, extra, resourceAttributes, nonResourceAttributes } = spec;
  const user = { username, uid, groups, extra };
  if (resourceAttributes !== undefined) return { user, ...resourceAttributes };
  return nonResourceAttributes && { user, ...nonResourceAttributes };
}
