import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from '@fairway/base/testing/free-ports';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import type { ClientProgram } from './client-binaries.ts';
import { ClientProcess } from './client-process.ts';
import type { Kubectl } from './kubectl.ts';

export interface Kustomization extends KubeObject {
  readonly status?: {
    readonly lastAttemptedRevision?: string;
    readonly lastAppliedRevision?: string;
    readonly lastHandledReconcileAt?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
  };
}

const Kustomizations: ResourceType<Kustomization> = {
  group: 'kustomize.toolkit.fluxcd.io',
  version: 'v1',
  plural: 'kustomizations',
  kind: 'Kustomization',
  namespaced: true,
};

const GitRepositories: ResourceType = {
  group: 'source.toolkit.fluxcd.io',
  version: 'v1',
  plural: 'gitrepositories',
  kind: 'GitRepository',
  namespaced: true,
};

const NAMESPACE = 'flux-system';
const where = { namespace: NAMESPACE };

export interface FluxOptions {
  readonly source: ClientProgram;
  readonly kustomize: ClientProgram;
  /** The cluster that Flux runs for. */
  readonly kubectl: Kubectl;
  readonly client: KubeClient;
  /** The directory for artifacts and logs. */
  readonly folder: string;
}

/** Flux's source-controller and kustomize-controller for a cluster, as processes on this machine. */
export class Flux implements AsyncDisposable {
  readonly #options: FluxOptions;
  readonly #controllers: readonly ClientProcess[];
  #requests = 0;

  private constructor(options: FluxOptions, controllers: readonly ClientProcess[]) {
    this.#options = options;
    this.#controllers = controllers;
  }

  /** Installs Flux's definitions, and runs it as the kubeconfig's user. */
  static async start(options: FluxOptions): Promise<Flux> {
    const { source, kustomize, kubectl, folder } = options;
    await kubectl.ok('create', 'namespace', NAMESPACE);
    await kubectl.ok('apply', '--server-side', '-f', kustomize.crds);
    await kubectl.ok('wait', '--for=condition=Established', 'crd', '--all', '--timeout=1m');
    const storage = join(folder, 'artifacts');
    await mkdir(storage);
    const [port] = await freePorts(1);
    const address = `127.0.0.1:${port}`;
    const served = [`--storage-path=${storage}`, `--storage-addr=${address}`, `--storage-adv-addr=${address}`];
    const run = (name: string, { path }: ClientProgram, ...own: readonly string[]) =>
      new ClientProcess({
        command: path,
        args: ['--metrics-addr=0', '--health-addr=0', '--watch-all-namespaces', ...own],
        env: { KUBECONFIG: kubectl.kubeconfig, RUNTIME_NAMESPACE: NAMESPACE, HOME: folder, TMPDIR: folder },
        log: join(folder, `${name}.log`),
      });
    return new Flux(options, [run('source', source, ...served), run('kustomize', kustomize)]);
  }

  /** Makes Flux follow a commit of the repository; resolves when the commit is applied and Ready. */
  async applyCommit(name: string, revision: string): Promise<void> {
    await this.#request(GitRepositories, name);
    await this.#until(name, ({ status }) => status?.lastAppliedRevision === revision && isReady(status));
  }

  /** Makes Flux reconcile a commit that can't be applied; resolves with the error. */
  async reconcileRefusedCommit(name: string, revision: string): Promise<string> {
    await this.#request(GitRepositories, name);
    const { status } = await this.#until(
      name,
      ({ status }) => status?.lastAttemptedRevision === revision && ready(status)?.status === 'False',
    );
    return ready(status)?.message ?? '';
  }

  /**
   * Like `flux reconcile`: compares everything with the applied state; resolves when that is done and everything is
   * Ready.
   */
  async reconcileAll(name: string): Promise<void> {
    const requested = await this.#request(Kustomizations, name);
    await this.#until(name, ({ status }) => status?.lastHandledReconcileAt === requested && isReady(status));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const controller of this.#controllers) await controller[Symbol.asyncDispose]();
  }

  async #request(type: ResourceType, name: string): Promise<string> {
    const requested = `request-${++this.#requests}`;
    const value = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': requested } } };
    await this.#options.client.resource(type).patch(name, { type: 'merge', value }, where);
    return requested;
  }

  async #until(name: string, check: (object: Kustomization) => boolean): Promise<Kustomization> {
    const resource = this.#options.client.resource(Kustomizations);
    try {
      return await eventuallyObject(resource, { ...where, name }, check);
    } catch (error) {
      throw new Error(this.#controllers.map(({ outputTail }) => outputTail).join('\n'), { cause: error });
    }
  }
}

function ready(status: Kustomization['status']) {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

function isReady(status: Kustomization['status']): boolean {
  return ready(status)?.status === 'True';
}
