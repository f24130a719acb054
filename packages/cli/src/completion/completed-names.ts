import type { ReadableKindName } from '../resources/kind-names.ts';

/** Completable names: objects, and values that their fields may refer to. */
export type CompletedKind =
  | ReadableKindName
  | 'namespace'
  | 'snapshot'
  | 'version'
  | 'upgradeversion'
  | 'flavor'
  | 'zone'
  | 'image'
  | 'network'
  | 'subnet';

/** Selects objects by the words typed so far. */
export interface NameScope {
  /** Undefined for all clusters. */
  readonly cluster: string | undefined;
  /** Selects the versions that new clusters of the plan can use. */
  readonly plan: string | undefined;
  /** Selects the plans whose new clusters can use the version. */
  readonly version: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
}
