import type { ReadableKindName } from '../resources/kind-names.ts';

/** What is completed by name: objects, and what their fields may refer to. */
export type CompletedKind =
  | ReadableKindName
  | 'namespace'
  | 'snapshot'
  | 'version'
  | 'flavor'
  | 'zone'
  | 'image'
  | 'network'
  | 'subnet';

/** Which objects are meant, by what has been typed before. */
export interface NameScope {
  /** Their cluster; undefined for those of all. */
  readonly cluster: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
}
