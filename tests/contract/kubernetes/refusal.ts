import type { Manifest } from '@fairway/apiserver/kinds/testing/kinds-corpus';

/** A manifest that a server refuses, as a change to one that it takes. */
export interface Refusal {
  readonly what: string;
  readonly manifest: Manifest;
}
