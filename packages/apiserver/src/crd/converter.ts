import type { KubeObject } from '@fairway/kube/object/meta';

/** Converts a kind's objects from any of its versions to another, in the same order. */
export type Converter = (objects: readonly KubeObject[], apiVersion: string) => Promise<readonly KubeObject[]>;
