import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { timestamp } from '../schema/scalars.ts';
import { AGE_COLUMN, defineKind } from './kind.ts';

/** The resources that are counted. */
export const USAGE_RESOURCES = ['ControlPlane', 'Node', 'RootVolume', 'Volume', 'LoadBalancer', 'FloatingIP'] as const;

const resource = () => z.enum(USAGE_RESOURCES).describe('Resource that was used.');
const type = () =>
  z
    .string()
    .max(255)
    .describe(
      'Type of the resource: the plan of a control plane, the flavor of a node, the type of a volume, the provider of a load balancer, the network of a floating IP.',
    );
const uncertainSeconds = () =>
  z
    .int()
    .min(0)
    .exactOptional()
    .meta({ format: 'int64' })
    .describe(
      'Uncertainty of the end time, in seconds: the time between the last observation with the resource and the first one without it.',
    );

const usageRecordSpec = z
  .object({
    clusterName: z.string().min(1).max(63).describe('Name of the Cluster. Immutable.'),
    clusterUID: z
      .string()
      .min(1)
      .max(63)
      .describe(
        'Identity of the Cluster, with which its cloud resources are marked: the UID of the original Cluster object. Immutable.',
      ),
    namespace: z
      .string()
      .min(1)
      .max(63)
      .describe('Namespace of the Cluster; the record is kept in fairway-system after the Cluster is deleted.'),
  })
  .describe('Cluster of the record. Set by Fairway.');

const usageInterval = z
  .object({
    resource: resource(),
    id: z.string().max(255).describe('Identity of the Cluster, or ID of the resource in the cloud.'),
    type: type(),
    quantity: z
      .int()
      .min(1)
      .exactOptional()
      .meta({ format: 'int64' })
      .describe('Size of a volume in GiB. Absent for other resources, which count as 1.'),
    startTime: timestamp().describe('Start time, as reported by the cloud or the API.'),
    endTime: timestamp().exactOptional().describe('End time. Absent while the resource exists.'),
    uncertainSeconds: uncertainSeconds(),
  })
  .describe('Period in which a resource existed unchanged.');

const usageTotal = z
  .object({
    period: z.string().max(13).describe('UTC day (2026-11-26) or UTC hour (2026-11-26T10).'),
    resource: resource(),
    type: type(),
    amount: z
      .int()
      .min(0)
      .meta({ format: 'int64' })
      .describe('Usage in seconds; for volumes, in GiB multiplied by seconds.'),
    uncertain: z
      .int()
      .min(0)
      .exactOptional()
      .meta({ format: 'int64' })
      .describe('Uncertainty of the usage, in the same unit.'),
  })
  .describe('Sum of the ended periods in an hour or day.');

const observedTimes = z
  .object(
    Object.fromEntries(
      USAGE_RESOURCES.map((each) => [
        each,
        timestamp().exactOptional().describe(`Start of the last observation of ${each} that is included.`),
      ]),
    ) as Record<UsageResource, z.ZodExactOptional<ReturnType<typeof timestamp>>>,
  )
  .describe('Start of the last observation that is included in the record, by resource.');

const usageRecordStatus = z
  .object({
    projectID: z.string().max(255).exactOptional().describe('OpenStack project of the cluster.'),
    summary: z.string().max(255).exactOptional().describe('Current resources, in words.'),
    endedTime: timestamp().exactOptional().describe('Time when the cluster was deleted; the record no longer changes.'),
    observedTimes: observedTimes.exactOptional(),
    intervals: z
      .array(usageInterval)
      .exactOptional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Resources that exist, and those that ceased to exist within the last hour.'),
    totals: z
      .array(usageTotal)
      .exactOptional()
      .meta({ 'x-kubernetes-list-type': 'atomic' })
      .describe('Earlier usage, by UTC hour for eight days and by UTC day before that.'),
  })
  .describe('Observed usage of the cluster, in exact seconds.');

export type UsageResource = (typeof USAGE_RESOURCES)[number];

/** Whether the resource is measured in GiB. */
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
    'UsageRecord is the usage of a cluster: control plane, nodes, volumes, load balancers and floating IPs, with start and end times. It is set by Fairway, kept after the cluster is deleted, and read-only.',
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
  // Not spec.namespace: kube-apiserver considers the cost of a rule that uses a field with this name unbounded.
  immutable: ['spec.clusterName', 'spec.clusterUID'],
  rules: [],
});

/** Name of the record for the cluster with this identity. */
export function usageRecordName(clusterUid: string): string {
  return `usage-${clusterUid}`;
}
