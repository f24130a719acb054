import type { Schema } from '@fairway/apiserver/schema/schema';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { GROUP, VERSION } from '../group.ts';
import { int32, kubernetesVersion, timestamp } from '../schema/scalars.ts';
import { requestSchema } from './request-schema.ts';

/** How many objects a finding names. */
export const MAX_NAMED = 50;

const spec = z
  .object({
    version: kubernetesVersion()
      .optional()
      .describe(
        'What spec.version of the cluster would be set to. Empty: the next minor version that it can be raised to, or else the newest patch.',
      ),
  })
  .describe('What is asked.');

const estimate = z
  .object({
    seconds: int32().min(0).describe('How long it takes from when it begins.'),
    from: z
      .enum(['LastUpgrade', 'NewNodes', 'Timeouts'])
      .describe(
        'What it is made from. LastUpgrade: what the nodes of the pool took when they were renewed last; NewNodes: what they took to become Ready; Timeouts: nothing is known, so this is what the settings allow at most.',
      ),
    message: z.string().max(1024).describe('The same as a sentence for people.'),
  })
  .describe('How long something takes.');

const step = z
  .object({
    order: int32().min(1).describe('Steps of the same number go at the same time.'),
    type: z.enum(['ControlPlane', 'NodePool']).describe('What is brought to the version.'),
    pool: z.string().max(253).optional().describe('Name of the pool.'),
    nodes: int32().min(0).optional().describe('Nodes to renew.'),
    strategy: z.enum(['InPlace', 'Rolling']).optional().describe('How nodes are renewed.'),
    parallel: int32().min(1).optional().describe('How many nodes at a time, after the first one, which goes alone.'),
    estimate: estimate.optional(),
    message: z.string().max(1024).describe('What is done, as a sentence for people.'),
  })
  .describe('A step of the upgrade.');

const quota = z
  .object({
    name: z.string().max(63).describe('What is counted, as in the CloudProfile: instances, cores, memoryMiB.'),
    needed: z.int().min(0).meta({ format: 'int64' }).describe('What the nodes need that are made beside the others.'),
    left: z.int().min(0).meta({ format: 'int64' }).describe('What the project has left.'),
    limit: z.int().min(0).meta({ format: 'int64' }).describe('The limit of the project.'),
    isEnough: z.boolean().describe('Whether that is enough.'),
  })
  .describe('A quota of the project.');

const addon = z
  .object({
    name: z.string().max(63).describe('Name of the add-on.'),
    from: z.string().max(63).optional().describe("Version that the cluster has now. Absent: it is the cluster's own."),
    to: z.string().max(63).describe('Version that belongs to the new version of Kubernetes.'),
    message: z.string().max(1024).describe('What becomes of it, as a sentence for people.'),
  })
  .describe('An add-on of the cluster.');

const finding = z
  .object({
    type: z
      .string()
      .max(63)
      .describe('What was found, in one CamelCase word: a reason of conditions where there is one for it.'),
    effect: z
      .enum(['Blocks', 'Delays', 'Loses', 'Unknown'])
      .describe(
        'Blocks: the upgrade does not begin, or stops, until somebody acts. Delays: it waits and goes on by itself. Loses: something of yours is gone afterwards, or away meanwhile. Unknown: this could not be looked at.',
      ),
    pool: z.string().max(253).optional().describe('Pool that it is about.'),
    message: z.string().max(2048).describe('What, why, and what to do, as a sentence for people.'),
    objects: z
      .array(z.string().max(600))
      .max(MAX_NAMED)
      .optional()
      .describe(`Objects of the cluster that it is about, ${MAX_NAMED} at most.`),
    more: int32().min(1).optional().describe('How many more there are.'),
  })
  .describe('Something to know before.');

const status = z
  .object({
    from: z.string().max(16).optional().describe('Version that the control plane runs.'),
    to: z.string().max(16).optional().describe('Exact version that it would run. Empty: it would not be changed.'),
    time: timestamp().describe('When this was looked at. What happens later is not in it.'),
    steps: z.array(step).max(1000).describe('What is done, in this order.'),
    estimate: estimate.optional(),
    quotas: z
      .array(quota)
      .max(32)
      .optional()
      .describe('What it needs of the quotas of the project. Absent: not known.'),
    addons: z
      .array(addon)
      .max(20)
      .optional()
      .describe("Add-ons that get another version, and those of the cluster's own, which stay."),
    findings: z.array(finding).max(1000).describe('What blocks it, delays it, or is lost by it; the gravest first.'),
  })
  .describe('The answer.');

export type UpgradePlanStatus = z.infer<typeof status>;
export type UpgradeStep = z.infer<typeof step>;
export type UpgradeEstimate = z.infer<typeof estimate>;
export type UpgradeQuota = z.infer<typeof quota>;
export type UpgradeAddon = z.infer<typeof addon>;
export type UpgradeFinding = z.infer<typeof finding>;

/** Request and response body of a POST to `clusters/NAME/upgradeplan`. Nothing is changed by it. */
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
    'UpgradePlanRequest asks what an upgrade of a cluster would do, what it needs and what would hold it up, without doing it.',
  );
}
