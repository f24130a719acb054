import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { UnenforcedFields } from '@fairway/api/admission/unenforced-fields';
import {
  type ControlPlaneRuntime,
  type ControlPlaneSpec,
  type ControlPlaneState,
  type ControlPlaneUsage,
  ONE_COPY,
} from '@fairway/control-plane/runtime';
import { renderSpecFile, type SimulatedControlPlaneFile } from '@fairway/control-plane/simulated/spec-file';
import { CHANGES_PATH, hostOf, type PlaneRequest, type PlaneResponses } from './plane-protocol.ts';

/** Control planes in other processes, to measure Fairway alone. A cluster's UID determines its host. */
export class RemoteRuntime implements ControlPlaneRuntime {
  readonly name = 'simulated';
  readonly spread = ONE_COPY;
  readonly reachesNodes = false;
  readonly reviewsTokens = false;
  readonly #sockets: readonly string[];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #listeners = new Set<(clusterUid: string) => void>();
  readonly #managed = new Set<string>();

  constructor(sockets: readonly string[]) {
    this.#sockets = sockets;
    for (const socket of sockets) this.#follow(socket);
  }

  versions(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  unenforcedFields(): Promise<UnenforcedFields> {
    return Promise.resolve({});
  }

  async ensure(spec: ControlPlaneSpec): Promise<ControlPlaneState> {
    const { uid } = spec.cluster;
    this.#managed.add(uid);
    const file = { spec: spec as SimulatedControlPlaneFile['spec'], encryptionKey: '' };
    return this.#request('ensure', this.#hostOf(uid), await renderSpecFile(file));
  }

  hibernate(clusterUid: string): Promise<boolean> {
    return this.#request('rest', this.#hostOf(clusterUid), clusterUid);
  }

  wipe(clusterUid: string): Promise<boolean> {
    return this.#request('empty', this.#hostOf(clusterUid), clusterUid);
  }

  async remove(clusterUid: string): Promise<boolean> {
    const isRemoved = await this.#request('remove', this.#hostOf(clusterUid), clusterUid);
    if (isRemoved) this.#managed.delete(clusterUid);
    return isRemoved;
  }

  /** The control planes run in other processes and keep running. */
  release(clusterUid: string): Promise<void> {
    this.#managed.delete(clusterUid);
    return Promise.resolve();
  }

  /** The files belong to another process. */
  auditLog(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async list(): Promise<readonly string[]> {
    const lists = await Promise.all(this.#sockets.map((socket) => this.#request('list', socket, '')));
    return lists.flat();
  }

  usage(): ControlPlaneUsage {
    const { size } = this.#managed;
    return { managed: size, running: size, restarts: 0, memoryBytes: undefined };
  }

  onChange(listener: (clusterUid: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    this.#listeners.clear();
    this.#agent.destroy();
    return Promise.resolve();
  }

  #hostOf(clusterUid: string): string {
    return this.#sockets[hostOf(clusterUid, this.#sockets.length)] ?? '';
  }

  #follow(socketPath: string): void {
    const call = request({ socketPath, path: CHANGES_PATH }, (response) => {
      createInterface(response).on('line', (uid) => {
        for (const listener of this.#listeners) listener(uid);
      });
    });
    call.on('error', () => {});
    call.end();
  }

  async #request<Name extends PlaneRequest>(
    name: Name,
    socketPath: string,
    body: string,
  ): Promise<PlaneResponses[Name]> {
    const result = Promise.withResolvers<PlaneResponses[Name]>();
    const call = request({ socketPath, path: `/${name}`, method: 'POST', agent: this.#agent }, (response) => {
      void text(response).then((content) => {
        if (response.statusCode === 200) result.resolve(JSON.parse(content) as PlaneResponses[Name]);
        else result.reject(new Error(content));
      }, result.reject);
    });
    call.on('error', result.reject);
    call.end(body);
    return result.promise;
  }
}
