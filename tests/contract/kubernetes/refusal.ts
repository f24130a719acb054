import type { Manifest } from '@fairway/apiserver/kinds/testing/kinds-corpus';

/** A manifest that a server refuses, as a change to an accepted manifest. */
export interface Refusal {
  readonly what: string;
  readonly manifest: Manifest;
}
