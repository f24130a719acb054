import type { PrinterColumn, ScaleDefinition } from '@fairway/apiserver/server/resource';
import type { Json, KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { z } from 'zod';
import { GROUP, VERSION } from '../group.ts';

/** A printer column that a CustomResourceDefinition can express: its value is a path. */
export interface PathColumn extends PrinterColumn {
  readonly value: string;
}

/**
 * A cross-field rule in two forms: as CEL for a management cluster's API server, which evaluates it at `path`, and as a
 * function of the same value for all other uses. Tests check that the two agree.
 */
export interface CrossFieldRule<V = never> {
  /** Path to the object that the rule applies to, such as `spec`. */
  readonly path: string;
  /** The field to report, as a path from the root, such as `spec.replicas`. */
  readonly field: string;
  readonly cel: string;
  readonly holds: (value: V) => boolean;
  /** Describes valid values, without the field's name. */
  readonly message: string;
}

/** A transition rule for updates of the whole object, in two forms, like a `CrossFieldRule`. */
export interface TransitionRule<T = never> {
  /** The field to report, as a path from the root, such as `status.originUID`. */
  readonly field: string;
  /** An expression over `self` and `oldSelf`. */
  readonly cel: string;
  readonly holds: (object: T, old: T) => boolean;
  /** Describes valid values, without the field's name. */
  readonly message: string;
  /** What to do instead, appended to the message; in two forms, like the rule. The CEL is a string expression. */
  readonly hint?: { readonly cel: string; readonly text: (object: T, old: T) => string };
}

/** A kind in the `fairway.dev` group: the single source for its CRD, validation and types. */
export interface Kind<T extends KubeObject = KubeObject> extends ResourceType<T> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly spec: z.ZodType;
  readonly status?: z.ZodType;
  /** The status of an object that no controller has reconciled yet. */
  readonly initialStatus?: Readonly<Record<string, Json>>;
  readonly scale?: ScaleDefinition;
  readonly columns: readonly PathColumn[];
  /** Paths of immutable fields. */
  readonly immutable: readonly string[];
  readonly rules: readonly CrossFieldRule[];
  /** Evaluated on every update, including status. */
  readonly transitions?: readonly TransitionRule[];
  /** Present if names are more restricted than DNS subdomains. */
  readonly nameMaxLength?: number;
}

/** Message of the Ready condition: the last column of `kubectl get`. */
export const MESSAGE_COLUMN: PathColumn = {
  name: 'Message',
  type: 'string',
  description: 'Message of the Ready condition, which explains what the object is waiting for and who must act.',
  value: '.status.conditions[?(@.type=="Ready")].message',
};

/** The current operation and its progress; empty if there is none. */
export const OPERATION_COLUMN: PathColumn = {
  name: 'Operation',
  type: 'string',
  description: 'Current operation and its progress. Empty if there is none.',
  value: '.status.lastOperation.summary',
};

export const PAUSED_COLUMN: PathColumn = {
  name: 'Paused',
  type: 'string',
  description: 'Whether reconciliation of the object is paused.',
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

/** Declares a transition rule, typed by the part of the object that it reads. */
export function transitionRule<T>(rule: TransitionRule<T>): TransitionRule<T> {
  return rule;
}

/** Declares a rule, with the type of the value at its path. */
export function crossFieldRule<V>(rule: CrossFieldRule<V>): CrossFieldRule<V> {
  return rule;
}
