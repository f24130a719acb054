import { z } from 'zod';
import { timestamp } from '../schema/scalars.ts';

export const MAX_SECURITY_GROUPS = 10;
/** Maximum number of formerly listed groups. */
const MAX_APPLIED_GROUPS = 100;

const id = z.string().max(255);

/** `spec.securityGroups` of a NodePool. */
export const poolSecurityGroups = z
  .array(
    z
      .string()
      .min(1)
      .max(255)
      .regex(/^[!-~]+$/, 'must be 1 to 255 ASCII characters without spaces: use the ID of a group with another name'),
  )
  .max(MAX_SECURITY_GROUPS)
  .optional()
  .meta({ 'x-kubernetes-list-type': 'set' })
  .describe(
    "Additional security groups of the servers, including existing ones: names or IDs of the project's groups, or IDs of groups that another project shares with it. No server is created while one of the groups does not exist. Groups set by others are kept.",
  );

/** `status.securityGroups` of a NodePool. */
export const securityGroupsStatus = z
  .object({
    names: z.array(id).max(MAX_SECURITY_GROUPS).describe('Value of spec.securityGroups to which this status refers.'),
    groupIDs: z
      .array(id)
      .max(MAX_SECURITY_GROUPS)
      .optional()
      .describe('IDs of the groups that new servers get. Absent while one of the groups is unavailable.'),
    appliedIDs: z
      .array(id)
      .max(MAX_APPLIED_GROUPS)
      .describe(
        'Groups that servers may have because the pool lists or listed them: groups that it no longer lists are removed, and groups set by others are kept.',
      ),
    changedTime: timestamp().describe('Time when names, groupIDs or appliedIDs last changed.'),
    reason: z.string().max(63).optional().describe('Machine-readable reason why some servers do not have the groups.'),
    message: z.string().max(1024).optional().describe('Human-readable message.'),
  })
  .describe('Progress of applying spec.securityGroups.');

export type SecurityGroupsStatus = z.infer<typeof securityGroupsStatus>;

/** Groups that are or were listed, oldest first; as many as the status can contain. */
export function appliedUnion(applied: readonly string[], groupIDs: readonly string[]): string[] {
  return [...new Set([...applied.filter((each) => !groupIDs.includes(each)), ...groupIDs])].slice(-MAX_APPLIED_GROUPS);
}
