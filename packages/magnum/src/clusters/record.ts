import { GROUP } from '@fairway/api/group';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';

/** On a Cluster, a NodePool: JSON of what Magnum's API has and Fairway's kinds do not. It is shown there again, and decides nothing. */
export const RECORD_ANNOTATION = `${GROUP}/magnum`;

/** What a cluster's first group of nodes is called. */
export const DEFAULT_WORKER = 'default-worker';

/** Beyond this it is not read: whoever may change a Cluster may write anything. */
const MAX_RECORD_CHARS = 64 * 1024;

const text = () => z.string().max(1024).optional().catch(undefined);
const count = () => z.int().optional().catch(undefined);
const flag = () => z.boolean().optional().catch(undefined);
const labels = () => z.record(z.string(), z.string()).optional().catch(undefined);

/** Fields as they were given, by their names in Magnum's API. */
const ClusterRecord = z.object({
  /** Of Magnum's API, by which it was made. */
  request: text(),
  /** Where it is not the object's own name. */
  name: text(),
  cluster_template_id: text(),
  keypair: text(),
  docker_volume_size: count(),
  labels: labels(),
  /** Those of them that were given with the cluster, beside those of its template if they were merged. Absent: nobody knows. */
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
  /** When it was last changed through Magnum's API: from then on what is over is UPDATE_COMPLETE. */
  updated_at: text(),
});
export type ClusterRecord = z.infer<typeof ClusterRecord>;

const PoolRecord = z.object({
  /** By which it was made with its cluster. */
  request: text(),
  name: text(),
  role: text(),
  flavor_id: text(),
  image_id: text(),
  docker_volume_size: count(),
  labels: labels(),
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
  const written = metadata.annotations?.[RECORD_ANNOTATION] ?? '{}';
  return schema.safeParse(written.length > MAX_RECORD_CHARS ? {} : parsed(written)).data ?? schema.parse({});
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The annotations that hold a record. */
export function recordAnnotation(record: ClusterRecord | PoolRecord): Record<string, string> {
  return { [RECORD_ANNOTATION]: JSON.stringify(record) };
}
