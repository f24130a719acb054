import type { JsonObject } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { UserInfo } from '../auth/user.ts';
import type { ResourceDefinition } from './resource.ts';
import type { ServedResource } from './served-resource.ts';

/** One write that is about to happen, after authorisation, decoding and defaults, before validation and storage. */
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
  /** What is stored now; absent on CREATE. */
  readonly oldObject: KubeObject | undefined;
  /** Sends a `Warning: 299` header along with the answer. */
  warn(text: string): void;
  /** Absent where another server asks this process what it thinks of a write. */
  readonly write?: WriteInProgress | undefined;
}

/** What the server that carries out a write knows of it, and may do. */
export interface WriteInProgress {
  /** When the client is answered whatever becomes of its request, in epoch milliseconds. */
  readonly deadlineMs: number;
  /** What the request says about how it is to be carried out: CreateOptions, UpdateOptions or DeleteOptions of `meta.k8s.io/v1`. */
  options(): JsonObject;
  /** The served resource of a kind. */
  kindOf(apiVersion: string, kind: string): ResourceDefinition | undefined;
  /** The resource in its other served versions. */
  otherVersions(): readonly ServedResource[];
  /**
   * Puts what somebody outside made of `object` in its place, checked, pruned and with defaults as what a client sends; what clients may
   * not set stays as it was. Field managers stay too: upstream gives nobody what webhooks change.
   */
  replaceObject(object: KubeObject): void;
  /** Adds to the annotations of the audit event. */
  annotate(key: string, value: string): void;
}

/** An admission plugin; it refuses by throwing an ApiError (`invalid` with field paths, or `forbidden`). */
export interface AdmissionPlugin {
  readonly name: string;
  /** Runs first, in order of registration. */
  mutate?(request: AdmissionRequest): void | Promise<void>;
  /** Asked once after all `mutate`, which then run a second time. */
  wantsSecondRound?(request: AdmissionRequest): boolean;
  /** Runs once, after all mutation: for what is allocated. */
  settle?(request: AdmissionRequest): void;
  /** Runs after all mutation and after schema validation. */
  validate?(request: AdmissionRequest): void | Promise<void>;
  /**
   * Runs last, on creates and updates, and must not wait: nothing is stored between what it reads of the server and the write, so
   * limits over several objects hold however many writes come at once.
   */
  decide?(request: AdmissionRequest): void;
}
