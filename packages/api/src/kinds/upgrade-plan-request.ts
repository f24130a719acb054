import type { Schema } from '@fairway/apiserver/schema/schema';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { GROUP, VERSION } from '../group.ts';
import { int32, kubernetesVersion, timestamp } from '../schema/scalars.ts';
import { requestSchema } from './request-schema.ts';

/** Maximum number of objects listed per finding. */
export const MAX_NAMED_OBJECTS = 50;

const spec = z
  .object({
    version: kubernetesVersion()
      .optional()
      .describe(
        'Hypothetical value of spec.version. Default: the next minor version to which spec.version can be raised, or else the newest patch.',
      ),
  })
  .describe('Upgrade to plan.');

const estimate = z
  .object({
    seconds: int32().min(0).describe('Duration from the start, in seconds.'),
    from: z
      .enum(['LastUpgrade', 'NewNodes', 'Timeouts'])
      .describe(
        "Basis of the estimate. LastUpgrade: the last update of the pool's nodes. NewNodes: the time that nodes took to become Ready. Timeouts: nothing is known, so this is the maximum that the settings allow.",
      ),
    message: z.string().max(1024).describe('Human-readable message.'),
  })
  .describe('Estimated duration.');

const step = z
  .object({
    order: int32().min(1).describe('Number of the step. Steps with the same number run at the same time.'),
    type: z.enum(['ControlPlane', 'NodePool']).describe('What is upgraded.'),
    pool: z.string().max(253).optional().describe('Name of the pool.'),
    nodes: int32().min(0).optional().describe('Number of nodes to update.'),
    strategy: z.enum(['InPlace', 'Rolling']).optional().describe('How nodes are updated.'),
    parallel: int32()
      .min(1)
      .optional()
      .describe('Number of nodes that are updated at the same time, after the first node, which is updated alone.'),
    estimate: estimate.optional(),
    message: z.string().max(1024).describe('Human-readable description of the step.'),
  })
  .describe('Step of the upgrade.');

const quota = z
  .object({
    name: z
      .string()
      .max(63)
      .describe('Resource that the quota limits, as in the CloudProfile: instances, cores, memoryMiB.'),
    needed: z.int().min(0).meta({ format: 'int64' }).describe('Amount that additional nodes need during the upgrade.'),
    left: z.int().min(0).meta({ format: 'int64' }).describe('Amount that the project has left.'),
    limit: z.int().min(0).meta({ format: 'int64' }).describe('Limit of the project.'),
    isEnough: z.boolean().describe('Whether the remaining quota is sufficient.'),
  })
  .describe('Quota of the project.');

const addon = z
  .object({
    name: z.string().max(63).describe('Name of the add-on.'),
    from: z
      .string()
      .max(63)
      .optional()
      .describe('Current version. Absent if the cluster has its own installation of the add-on.'),
    to: z.string().max(63).describe('Version that belongs to the new Kubernetes version.'),
    message: z.string().max(1024).describe('Human-readable description of the change.'),
  })
  .describe('Add-on of the cluster.');

const finding = z
  .object({
    type: z
      .string()
      .max(63)
      .describe('Machine-readable reason in CamelCase; the reason of the corresponding condition if there is one.'),
    effect: z
      .enum(['Blocks', 'Delays', 'Loses', 'Unknown'])
      .describe(
        'Blocks: the upgrade does not begin, or stops, until someone acts. Delays: the upgrade waits and then continues automatically. Loses: something is lost, or unavailable during the upgrade. Unknown: this could not be checked.',
      ),
    pool: z.string().max(253).optional().describe('Pool that the finding is about.'),
    message: z.string().max(2048).describe('Human-readable message: what, why, and what to do.'),
    objects: z
      .array(z.string().max(600))
      .max(MAX_NAMED_OBJECTS)
      .optional()
      .describe(`Objects of the cluster that the finding is about, at most ${MAX_NAMED_OBJECTS}.`),
    more: int32().min(1).optional().describe('Number of objects that are not listed.'),
  })
  .describe('Finding about the upgrade.');

const status = z
  .object({
    from: z.string().max(16).optional().describe('Version that the control plane runs.'),
    to: z
      .string()
      .max(16)
      .optional()
      .describe('Exact version after the upgrade. Empty if the version does not change.'),
    time: timestamp().describe('Time when the plan was made. Later changes are not included.'),
    steps: z.array(step).max(1000).describe('Steps in the order in which they run.'),
    estimate: estimate.optional(),
    quotas: z
      .array(quota)
      .max(32)
      .optional()
      .describe('Quotas of the project that the upgrade needs. Absent if unknown.'),
    addons: z
      .array(addon)
      .max(20)
      .optional()
      .describe("Add-ons whose version changes, and the cluster's own add-ons, which stay as they are."),
    findings: z
      .array(finding)
      .max(1000)
      .describe('What blocks the upgrade, delays it, or is lost by it; most severe first.'),
  })
  .describe('Response to the request.');

export type UpgradePlanStatus = z.infer<typeof status>;
export type UpgradeStep = z.infer<typeof step>;
export type UpgradeEstimate = z.infer<typeof estimate>;
export type UpgradeQuota = z.infer<typeof quota>;
export type UpgradeAddon = z.infer<typeof addon>;
export type UpgradeFinding = z.infer<typeof finding>;

/** Request and response body of a POST to `clusters/NAME/upgradeplan`. It changes nothing. */
export interface UpgradePlanRequest extends KubeObject {
  spec: z.infer<typeof spec>;
  status?: UpgradePlanStatus;
}

export const UPGRADE_PLAN_SUBRESOURCE = 'upgradeplan';
export const UPGRADE_PLAN_REQUEST_KIND = { group: GROUP, version: VERSION, kind: 'UpgradePlanRequest' } as const;

/** The kind that decodes the subresource. */
export function upgradePlanRequestSchema(): Schema {
  return requestSchema(
    { spec, status },
    'UpgradePlanRequest returns what an upgrade of a cluster would do, what it needs and what would block it, without doing it.',
  );
}
