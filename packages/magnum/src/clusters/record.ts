import { GROUP } from '@fairway/api/group';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';

/**
 * Annotation of a Cluster or NodePool: JSON of fields that Magnum's API has and Fairway's kinds lack. They are returned
 * to clients, and have no effect.
 */
export const RECORD_ANNOTATION = `${GROUP}/magnum`;

/** Name of a cluster's first nodegroup. */
export const DEFAULT_WORKER = 'default-worker';

/** A larger record is ignored: users who may change a Cluster can write any annotation. */
const MAX_RECORD_CHARS = 64 * 1024;

/** Maximum number and length of stored warnings. */
const MAX_WARNINGS = 8;
const MAX_WARNING_CHARS = 1000;

const text = () => z.string().max(1024).optional().catch(undefined);
const count = () => z.int().optional().catch(undefined);
const flag = () => z.boolean().optional().catch(undefined);
const warnings = () => z.array(z.string().max(MAX_WARNING_CHARS)).max(MAX_WARNINGS).optional().catch(undefined);
const labels = () => z.record(z.string(), z.string()).optional().catch(undefined);

/** Fields as specified, by their names in Magnum's API. */
const ClusterRecord = z.object({
  /** ID of the request to Magnum's API that created the object. */
  request: text(),
  /** The name in Magnum's API, if it differs from the object's name. */
  name: text(),
  cluster_template_id: text(),
  keypair: text(),
  docker_volume_size: count(),
  labels: labels(),
  /**
   * Labels that were specified with the cluster, if they were merged with the template's labels. Undefined if unknown.
   */
  own_labels: labels(),
  merge_labels: flag(),
  master_flavor_id: text(),
  flavor_id: text(),
  create_timeout: count(),
  master_count: count(),
  discovery_url: text(),
  fixed_network: text(),
  fixed_subnet: text(),
  floating_ip_enabled: flag(),
  master_lb_enabled: flag(),
  user_id: text(),
  /** Warnings of Fairway's API about the request that created the cluster or last upgraded it. */
  warnings: warnings(),
  /** Time of the last change through Magnum's API; completed operations after it are UPDATE_COMPLETE. */
  updated_at: text(),
});
export type ClusterRecord = z.infer<typeof ClusterRecord>;

const PoolRecord = z.object({
  /** ID of the request that created the pool with its cluster. */
  request: text(),
  name: text(),
  role: text(),
  flavor_id: text(),
  image_id: text(),
  docker_volume_size: count(),
  labels: labels(),
  /** Warnings of Fairway's API about the request that created the nodegroup. */
  warnings: warnings(),
  updated_at: text(),
});
export type PoolRecord = z.infer<typeof PoolRecord>;

export function clusterRecord(cluster: KubeObject): ClusterRecord {
  return readRecord(ClusterRecord, cluster);
}

export function poolRecord(pool: KubeObject): PoolRecord {
  return readRecord(PoolRecord, pool);
}

function readRecord<T>(schema: z.ZodType<T>, { metadata }: KubeObject): T {
  const serialized = metadata.annotations?.[RECORD_ANNOTATION] ?? '{}';
  return schema.safeParse(serialized.length > MAX_RECORD_CHARS ? {} : parsed(serialized)).data ?? schema.parse({});
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The field that stores warnings; without warnings, it removes earlier ones. */
export function warningsRecord(texts: ReadonlySet<string>): Pick<ClusterRecord, 'warnings'> {
  const kept = [...texts].slice(0, MAX_WARNINGS).map((warning) => warning.slice(0, MAX_WARNING_CHARS));
  return { warnings: kept.length === 0 ? undefined : kept };
}

/** The annotations that hold a record. */
export function recordAnnotation(record: ClusterRecord | PoolRecord): Record<string, string> {
  return { [RECORD_ANNOTATION]: JSON.stringify(record) };
}
