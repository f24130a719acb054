import { z } from 'zod';
import { list } from './collections.ts';

/** A condition on a request; all rules of a policy must match. */
export interface L7RuleFields {
  readonly type: 'HOST_NAME' | 'PATH' | 'HEADER';
  readonly compare_type: 'REGEX' | 'STARTS_WITH' | 'EQUAL_TO';
  /** At most 255 characters. */
  readonly value: string;
  /** Name of the header, for a header rule. */
  readonly key?: string;
  /** Whether to invert the match. */
  readonly invert?: boolean;
}

/**
 * Where requests are redirected. All redirecting policies take precedence over those that select pools, whatever their
 * positions. `prefix`: the path and query of the request are appended.
 */
export type L7Redirect =
  | { readonly action: 'REDIRECT_TO_URL'; readonly redirect_url: string; readonly redirect_http_code: number }
  | { readonly action: 'REDIRECT_PREFIX'; readonly redirect_prefix: string; readonly redirect_http_code: number };

interface L7PolicyTarget {
  readonly action: 'REDIRECT_TO_POOL';
}

export type L7PolicyFields = (L7PolicyTarget | L7Redirect) & {
  readonly name?: string;
  readonly tags?: readonly string[];
  /** From 1; the first matching policy applies. Existing policies at or after this position move down. */
  readonly position: number;
};

/** https://docs.openstack.org/api-ref/load-balancer/v2/#l7-policies */
export const L7Policy = z.object({
  id: z.string(),
  name: z.string().nullish(),
  project_id: z.string().default(''),
  provisioning_status: z.string(),
  tags: list(z.string()).default([]),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  listener_id: z.string(),
  action: z.string(),
  position: z.number(),
  admin_state_up: z.boolean().default(true),
  redirect_pool_id: z.string().nullish(),
  redirect_url: z.string().nullish(),
  redirect_prefix: z.string().nullish(),
  redirect_http_code: z.number().nullish(),
  rules: list(z.object({ id: z.string() })).default([]),
});
export type L7Policy = z.infer<typeof L7Policy>;

export const L7Rule = z.object({ id: z.string(), type: z.string(), compare_type: z.string(), value: z.string() });
export type L7Rule = z.infer<typeof L7Rule>;
