import type { PrinterColumn, ScaleDefinition } from '@fairway/apiserver/server/resource';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { z } from 'zod';
import { GROUP, VERSION } from '../group.ts';

/** A printer column that a CustomResourceDefinition can state: its value is a path. */
export interface PathColumn extends PrinterColumn {
  readonly value: string;
}

/**
 * A rule over several fields, told twice: as CEL for a management cluster's API server, which evaluates it at `path`, and
 * as a function of the same value for everywhere else. Tests hold that both agree.
 */
export interface CrossFieldRule<V = never> {
  /** Path of the object that the rule is about: `spec`. */
  readonly path: string;
  /** The field to blame, from the root: `spec.replicas`. */
  readonly field: string;
  readonly cel: string;
  readonly holds: (value: V) => boolean;
  /** What would be right, without the field's name. */
  readonly message: string;
}

/** A rule over what an update changes, of the object as a whole; told twice as a `CrossFieldRule` is. */
export interface TransitionRule<T = never> {
  /** The field to blame, from the root: `status.originUID`. */
  readonly field: string;
  /** Over `self` and `oldSelf`. */
  readonly cel: string;
  readonly holds: (object: T, old: T) => boolean;
  /** What would be right, without the field's name. */
  readonly message: string;
}

/** A kind of the group `fairway.dev`: the one source that its CRD, its validation and its types come from. */
export interface Kind<T extends KubeObject = KubeObject> extends ResourceType<T> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly spec: z.ZodType;
  readonly status?: z.ZodType;
  readonly scale?: ScaleDefinition;
  readonly columns: readonly PathColumn[];
  /** Paths of fields that keep the value that they were created with. */
  readonly immutable: readonly string[];
  readonly rules: readonly CrossFieldRule[];
  /** Asked on every update, of the status too. */
  readonly transitions?: readonly TransitionRule[];
  /** Present where names are more limited than a DNS subdomain. */
  readonly nameMaxLength?: number;
}

/** Message of the Ready condition: what `kubectl get` shows last. */
export const MESSAGE_COLUMN: PathColumn = {
  name: 'Message',
  type: 'string',
  description: 'What the object waits for, and whose turn it is.',
  value: '.status.conditions[?(@.type=="Ready")].message',
};

export const PAUSED_COLUMN: PathColumn = {
  name: 'Paused',
  type: 'string',
  description: 'True while Fairway leaves the object alone.',
  value: '.status.conditions[?(@.type=="Paused")].status',
  priority: 1,
};

export const AGE_COLUMN: PathColumn = {
  name: 'Age',
  type: 'date',
  value: '.metadata.creationTimestamp',
};

export function defineKind<T extends KubeObject>(definition: Omit<Kind<T>, 'group' | 'version'>): Kind<T> {
  return { group: GROUP, version: VERSION, ...definition };
}

/** Declares a rule, with what it needs to know of the object. */
export function transitionRule<T>(rule: TransitionRule<T>): TransitionRule<T> {
  return rule;
}

/** Declares a rule, with the type of the value at its path. */
export function crossFieldRule<V>(rule: CrossFieldRule<V>): CrossFieldRule<V> {
  return rule;
}
