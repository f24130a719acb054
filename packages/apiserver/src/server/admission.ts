import type { KubeObject } from '@fairway/kube/object/meta';
import type { UserInfo } from '../auth/user.ts';
import type { ResourceDefinition } from './resource.ts';

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
}

/** An admission plugin; it refuses by throwing an ApiError (`invalid` with field paths, or `forbidden`). */
export interface AdmissionPlugin {
  readonly name: string;
  /** Runs first, in order of registration. */
  mutate?(request: AdmissionRequest): void | Promise<void>;
  /** Runs after all mutation and after schema validation. */
  validate?(request: AdmissionRequest): void | Promise<void>;
  /**
   * Runs last, on creates and updates, and must not wait: nothing is stored between what it reads of the server and the write, so
   * limits over several objects hold however many writes come at once.
   */
  decide?(request: AdmissionRequest): void;
}
