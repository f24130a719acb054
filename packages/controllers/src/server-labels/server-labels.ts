import type { AppliedServerLabels } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Server } from '@fairway/openstack/types/server';

/** The tenant's tags and metadata for a pool's servers. */
export interface ServerLabels {
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

export function requestedLabels({ spec }: NodePool): ServerLabels {
  return { tags: spec.serverTags ?? [], metadata: spec.serverMetadata ?? {} };
}

/** The record of a server that has only these. */
export function recordOf({ tags, metadata }: ServerLabels): AppliedServerLabels {
  return { tags: tags.toSorted(), metadata: Object.keys(metadata).sort() };
}

/** The record of a server that may have either set, written before the server is changed. */
export function unionOf(a: AppliedServerLabels | undefined, b: AppliedServerLabels): AppliedServerLabels {
  const union = (one: readonly string[] = [], other: readonly string[]) => [...new Set([...one, ...other])].sort();
  return { tags: union(a?.tags, b.tags), metadata: union(a?.metadata, b.metadata) };
}

export interface LabelChanges {
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
  readonly setMetadata: Readonly<Record<string, string>>;
  readonly removeMetadata: readonly string[];
}

/**
 * The changes that give the server its desired tags and metadata and preserve those set by others; undefined if none.
 * Pure.
 */
export function labelChanges(
  server: Pick<Server, 'tags' | 'metadata'>,
  applied: AppliedServerLabels,
  desired: ServerLabels,
): LabelChanges | undefined {
  const changes = {
    addTags: desired.tags.filter((tag) => !server.tags.includes(tag)),
    removeTags: applied.tags.filter((tag) => !desired.tags.includes(tag) && server.tags.includes(tag)),
    setMetadata: Object.fromEntries(
      Object.entries(desired.metadata).filter(([key, value]) => server.metadata[key] !== value),
    ),
    removeMetadata: applied.metadata.filter(
      (key) => !Object.hasOwn(desired.metadata, key) && Object.hasOwn(server.metadata, key),
    ),
  };
  return Object.values(changes).some((each) => Object.keys(each).length > 0) ? changes : undefined;
}
