import type { JsonObject } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { UserInfo } from '../auth/user.ts';
import type { ResourceDefinition } from './resource.ts';
import type { ServedResource } from './served-resource.ts';

/** A write request after authorization, decoding and defaulting, before validation and storage. */
export interface AdmissionRequest {
  readonly user: UserInfo;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: ResourceDefinition;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly dryRun: boolean;
  /** The object to be stored; a plugin's `mutate` may change it in place. Absent on DELETE. */
  readonly object: KubeObject | undefined;
  /** The stored object; absent on CREATE. */
  readonly oldObject: KubeObject | undefined;
  /** Adds a `Warning: 299` header to the response. */
  warn(text: string): void;
  /** Absent if another server calls this process as a webhook. */
  readonly write?: WriteInProgress | undefined;
}

/** The context that the executing server provides for a write. */
export interface WriteInProgress {
  /** Deadline for the response to the client, in epoch milliseconds. */
  readonly deadlineMs: number;
  /** The request's options: CreateOptions, UpdateOptions or DeleteOptions of `meta.k8s.io/v1`. */
  options(): JsonObject;
  /** The served resource for a kind. */
  kindOf(apiVersion: string, kind: string): ResourceDefinition | undefined;
  /** The same resource in the other served versions. */
  otherVersions(): readonly ServedResource[];
  /**
   * Replaces `object` with a webhook's version, which is validated, pruned and defaulted like a client's. Fields that
   * clients may not set stay unchanged. Field managers stay unchanged too: like upstream, webhooks' changes have no
   * owner.
   */
  replaceObject(object: KubeObject): void;
  /** Adds an annotation to the audit event. */
  annotate(key: string, value: string): void;
}

/** An admission plugin; it rejects by throwing an ApiError (`invalid` with field paths, or `forbidden`). */
export interface AdmissionPlugin {
  readonly name: string;
  /** Runs first, in order of registration. */
  mutate?(request: AdmissionRequest): void | Promise<void>;
  /** Called once after all `mutate` methods, which then run a second time. */
  needsReinvocation?(request: AdmissionRequest): boolean;
  /** Runs once, after all mutation: for allocations. */
  settle?(request: AdmissionRequest): void;
  /** Runs after all mutation and after schema validation. */
  validate?(request: AdmissionRequest): void | Promise<void>;
  /**
   * Runs last, on creates and updates, and must not wait. Nothing is stored between its reads and the write, so limits
   * on several objects are exact for any number of concurrent writes.
   */
  decide?(request: AdmissionRequest): void;
}
