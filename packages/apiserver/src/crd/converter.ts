import type { KubeObject } from '@fairway/kube/object/meta';

/** Converts objects of any versions of a kind to another version, in the same order. */
export type Converter = (objects: readonly KubeObject[], apiVersion: string) => Promise<readonly KubeObject[]>;
