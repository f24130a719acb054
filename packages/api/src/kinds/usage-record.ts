import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { timestamp } from '../schema/scalars.ts';
import { AGE_COLUMN, defineKind } from './kind.ts';

/** What is counted. */
export const USAGE_RESOURCES = ['ControlPlane', 'Node', 'RootVolume', 'Volume', 'LoadBalancer', 'FloatingIP'] as const;

const resource = () => z.enum(USAGE_RESOURCES).describe('What it is.');
const type = () =>
  z
    .string()
    .max(255)
    .describe(
      'The plan of a control plane, the flavor of a node, the type of a volume, the provider of a load balancer, the network of a floating IP.',
    );
const uncertainSeconds = () =>
  z
    .int()
    .min(0)
    .exactOptional()
    .meta({ format: 'int64' })
    .describe('By how much less it may have been: between the last look that showed it and the first that did not.');

const usageRecordSpec = z
  .object({
    clusterName: z.string().min(1).max(63).describe('Name of the Cluster. Immutable.'),
    clusterUID: z
      .string()
      .min(1)
      .max(63)
      .describe(
        "Identity of the Cluster, which marks all that it has in the cloud: its first object's UID. Immutable.",
      ),
    namespace: z
      .string()
      .min(1)
      .max(63)
      .describe('Namespace of the Cluster; the record outlives it in fairway-system.'),
  })
  .describe('Whose usage it is. Fairway writes it.');

const usageInterval = z
  .object({
    resource: resource(),
    id: z.string().max(255).describe('Identity of the Cluster, or the id in the cloud.'),
    type: type(),
    quantity: z
      .int()
      .min(1)
      .exactOptional()
      .meta({ format: 'int64' })
      .describe('GiB of a volume; of all else it is 1 and absent.'),
    startTime: timestamp().describe('When it began, as the cloud or the API tells.'),
    endTime: timestamp().exactOptional().describe('When it ended; absent while it runs.'),
    uncertainSeconds: uncertainSeconds(),
  })
  .describe('Something that was there from one time to another, unchanged.');

const usageTotal = z
  .object({
    period: z.string().max(13).describe('A UTC day (2026-11-26), or an hour of one (2026-11-26T10).'),
    resource: resource(),
    type: type(),
    amount: z.int().min(0).meta({ format: 'int64' }).describe('Seconds; of volumes, GiB times seconds.'),
    uncertain: z
      .int()
      .min(0)
      .exactOptional()
      .meta({ format: 'int64' })
      .describe('By how much less it may have been, in the same unit.'),
  })
  .describe('What ended intervals amount to in a period.');

const observedTimes = z
  .object(
    Object.fromEntries(
      USAGE_RESOURCES.map((each) => [each, timestamp().exactOptional().describe(`Of ${each}.`)]),
    ) as Record<UsageResource, z.ZodExactOptional<ReturnType<typeof timestamp>>>,
  )
  .describe('When the last look began that is taken into account, by resource.');

const usageRecordStatus = z
  .object({
    projectID: z.string().max(255).exactOptional().describe('OpenStack project of the cluster.'),
    summary: z.string().max(255).exactOptional().describe('What runs, in words.'),
    endedTime: timestamp().exactOptional().describe('When the cluster was gone; nothing changes any more.'),
    observedTimes: observedTimes.exactOptional(),
    intervals: z
      .array(usageInterval)
      .exactOptional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('What runs, and what has ended within the last hour.'),
    totals: z
      .array(usageTotal)
      .exactOptional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('What ended before, by UTC hour for eight days and by UTC day from then on.'),
  })
  .describe('What the cluster has used, in exact seconds.');

export type UsageResource = (typeof USAGE_RESOURCES)[number];

/** Whether it is measured in GiB. */
export function isInGiB(resource: UsageResource): boolean {
  return resource === 'Volume' || resource === 'RootVolume';
}

export type UsageRecordStatus = z.infer<typeof usageRecordStatus>;
export type UsageInterval = z.infer<typeof usageInterval>;
export type UsageTotal = z.infer<typeof usageTotal>;

export interface UsageRecord extends KubeObject {
  spec: z.infer<typeof usageRecordSpec>;
  status?: UsageRecordStatus;
}

export const usageRecords = defineKind<UsageRecord>({
  plural: 'usagerecords',
  singular: 'usagerecord',
  kind: 'UsageRecord',
  namespaced: true,
  shortNames: [],
  description:
    'UsageRecord is what a cluster has used: control plane, nodes, volumes, load balancers and floating IPs, from when to when. Fairway writes it, and keeps it after the cluster is gone; it is read-only.',
  spec: usageRecordSpec,
  status: usageRecordStatus,
  columns: [
    { name: 'Cluster', type: 'string', value: '.spec.clusterName' },
    { name: 'Running', type: 'string', value: '.status.summary' },
    { name: 'Ended', type: 'date', value: '.status.endedTime' },
    { name: 'Namespace', type: 'string', value: '.spec.namespace', priority: 1 },
    { name: 'Cluster UID', type: 'string', value: '.spec.clusterUID', priority: 1 },
    AGE_COLUMN,
  ],
  // Not spec.namespace: a kube-apiserver takes a rule over a field of this name for unbounded.
  immutable: ['spec.clusterName', 'spec.clusterUID'],
  rules: [],
});

/** Name of the record of a cluster of this identity. */
export function usageRecordName(clusterUid: string): string {
  return `usage-${clusterUid}`;
}
