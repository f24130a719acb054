import type { KubeObject } from '@fairway/kube/object/meta';

/** Objects of any versions of a kind, in another version of it; in the same order. */
export type Converter = (objects: readonly KubeObject[], apiVersion: string) => Promise<readonly KubeObject[]>;
