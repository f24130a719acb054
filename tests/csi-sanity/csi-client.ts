import { setTimeout as sleep } from 'node:timers/promises';
import { csiServices, type Method } from '@fairway/csi/protocol/services';
import { Client, credentials } from '@grpc/grpc-js';

const { Controller } = csiServices();
/** As in the manifests of cinder-csi-plugin. */
const TIMEOUT_MS = 300_000;
/** The directory for the sidecars' sockets. */
const RETRY_MS = 1_000;

/** Calls a controller like Kubernetes' sidecars, which retry failures. */
export class CsiClient {
  readonly #client: Client;
  #isClosed = false;

  constructor(socket: string) {
    this.#client = new Client(`unix:${socket}`, credentials.createInsecure());
  }

  async createVolume(name: string): Promise<string> {
    const request = {
      name,
      capacity_range: { required_bytes: 2 ** 30 },
      volume_capabilities: [{ mount: {}, access_mode: { mode: 1 } }],
    };
    const { volume } = await this.#call<{ volume: { volume_id: string } }>('CreateVolume', request);
    return volume.volume_id;
  }

  async publish(volume: string, node: string): Promise<void> {
    const capability = { mount: {}, access_mode: { mode: 1 } };
    await this.#call('ControllerPublishVolume', { volume_id: volume, node_id: node, volume_capability: capability });
  }

  async unpublish(volume: string, node: string): Promise<void> {
    await this.#call('ControllerUnpublishVolume', { volume_id: volume, node_id: node });
  }

  async expand(volume: string): Promise<void> {
    const capability = { mount: {}, access_mode: { mode: 1 } };
    const range = { required_bytes: 2 * 2 ** 30 };
    await this.#call('ControllerExpandVolume', {
      volume_id: volume,
      capacity_range: range,
      volume_capability: capability,
    });
  }

  async deleteVolume(volume: string): Promise<void> {
    await this.#call('DeleteVolume', { volume_id: volume });
  }

  async listVolumes(): Promise<void> {
    await this.#call('ListVolumes', {});
  }

  close(): void {
    this.#isClosed = true;
    this.#client.close();
  }

  async #call<T>(name: string, request: object): Promise<T> {
    const endMs = Date.now() + TIMEOUT_MS;
    for (;;) {
      try {
        return await this.#callOnce<T>(Controller[name] as Method, request);
      } catch (error) {
        if (this.#isClosed || Date.now() > endMs) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  #callOnce<T>({ path, requestSerialize, responseDeserialize }: Method, request: object): Promise<T> {
    const options = { deadline: Date.now() + TIMEOUT_MS };
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, options, (error, response) =>
        error ? reject(error) : resolve(response as T),
      );
    });
  }
}
