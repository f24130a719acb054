import { createHash } from 'node:crypto';
import { SYNCED_STATE_ANNOTATION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import {
  type InClusterNodePool,
  type InClusterNodePoolSpec,
  inClusterNodePools,
} from '@fairway/api/kinds/in-cluster-node-pool';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { parseObject } from '@fairway/api/validation/schema-errors';
import { type FieldError, invalid } from '@fairway/kube/object/field-error';
import { canonicalJson } from '@fairway/kube/object/json';

/** The state of a pool that an object in the cluster reflects: the base of any change to the object. */
export interface MergeBase {
  /** The pool's identity, as `identityOf` returns it. */
  readonly identity: string;
  readonly generation: number;
  /** A hash of the spec. */
  readonly hash: string;
}

/** A spec in the normalised form for comparing both sides, or why it has none. */
export type ReadSpec =
  | { readonly spec: InClusterNodePoolSpec; readonly hash: string; readonly problem?: undefined }
  | { readonly problem: string; readonly hash?: undefined };

const MAX_TEXT_LENGTH = 256;
const MERGE_BASE_FORMAT = /^([0-9a-f-]{1,64})\/(\d{1,15})\/([0-9a-f]{16})\/([0-9a-f-]{1,64})$/;
/** Replaces the UID of an object that is about to be created. */
const ANY_OBJECT = '-';

/**
 * The mark of an object with this UID: a copy of it under another name, or a later one with the same name, is a new
 * request.
 */
export function mergeBaseText({ identity, generation, hash }: MergeBase, uid = ANY_OBJECT): string {
  return `${identity}/${generation}/${hash}/${uid}`;
}

/**
 * The state that the object reflects. The mark is written together with the spec; `kubectl replace` drops it, in which
 * case the copy in the status is used. A tenant may write both, but gains nothing that they could not request directly.
 */
export function mergeBaseOf({ metadata, status }: InClusterNodePool): MergeBase | undefined {
  const { uid } = metadata;
  return parseMergeBase(metadata.annotations?.[SYNCED_STATE_ANNOTATION], uid) ?? parseMergeBase(status?.shown, uid);
}

function parseMergeBase(text: string | undefined, uid: string | undefined): MergeBase | undefined {
  if (text === undefined || text.length > MAX_TEXT_LENGTH) return undefined;
  const [, identity = '', generation, hash = '', of] = MERGE_BASE_FORMAT.exec(text) ?? [];
  if (of === undefined || (of !== ANY_OBJECT && of !== uid)) return undefined;
  return { identity, generation: Number(generation), hash };
}

/** The state of a pool to reflect. */
export function stateOf(pool: NodePool): MergeBase & { readonly spec: InClusterNodePoolSpec } {
  const { clusterName: _clusterName, ...fields } = pool.spec;
  const spec = inClusterNodePools.spec.parse(fields) as InClusterNodePoolSpec;
  return { identity: identityOf(pool), generation: pool.metadata.generation ?? 0, hash: hashOf(spec), spec };
}

/** Parses what a tenant has written, regardless of the definition in their cluster. */
export function readSpec(inner: InClusterNodePool): ReadSpec {
  const known = readSpecs.get(inner);
  if (known) return known;
  const parsed = parseObject(inClusterNodePools, inner);
  const read = parsed.ok
    ? { spec: parsed.object.spec, hash: hashOf(parsed.object.spec) }
    : { problem: problemOf(inner, parsed.errors) };
  readSpecs.set(inner, read);
  return read;
}

/** Objects in caches are immutable. */
const readSpecs = new WeakMap<InClusterNodePool, ReadSpec>();

function problemOf({ metadata }: InClusterNodePool, errors: readonly FieldError[]): string {
  return invalid(inClusterNodePools, metadata.name ?? '', errors).message;
}

function hashOf(spec: InClusterNodePoolSpec): string {
  return createHash('sha256').update(canonicalJson(spec)).digest('hex').slice(0, 16);
}
