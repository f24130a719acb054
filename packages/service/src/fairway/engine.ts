import type { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Runnable } from '@fairway/kube/controller/manager';
import type { Clouds } from '@fairway/tenancy/cloud/project-cloud';
import type { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import type { Registry } from 'prom-client';

/** A Kubernetes API that holds Fairway's objects. Controllers can't tell one from another. */
export interface Engine {
  /** The API, as Fairway's controllers. */
  readonly client: KubeClient;
  /** What clouds, bootstrapper and admission ask without waiting: namespaces, cloud credentials, clusters, plans and releases. */
  readonly reader: ObjectReader;
  /** The caches that controllers share; started already, and stopped by `close`. */
  readonly informers: InformerSet;
  /** What the API does not do by itself, and so runs beside the controllers. */
  readonly runnables: readonly Runnable[];
  /** Ends the caches, and the API where it lives in this process; the controllers have ended before. */
  close(): Promise<void>;
}

/** What is there before the engine, because the engine's own admission asks for it. */
export interface EngineParts {
  readonly clouds: Clouds;
  /** Read through the engine itself, so only once it is open. */
  readonly credentials: () => ClusterCredentials;
  readonly registry: Registry;
}

/** Resolves when the API answers and its reader knows what there is. */
export type OpenEngine<E extends Engine = Engine> = (parts: EngineParts) => Promise<E>;
