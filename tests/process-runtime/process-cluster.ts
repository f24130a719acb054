import { join } from 'node:path';
import { type Clock, systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { endpointUrl } from '@fairway/control-plane/kubeconfig';
import { createClusterPki, trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import { certificateRequirements, issueComponentCertificate } from '@fairway/control-plane/pki/component-certificates';
import {
  type LocalProcessRuntimeOptions,
  localProcessRuntime,
} from '@fairway/control-plane/process/local-process-runtime';
import type { ProcessRuntime } from '@fairway/control-plane/process/process-runtime';
import type { ControlPlaneSpec, ControlPlaneState } from '@fairway/control-plane/runtime';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { identifyProcess } from '@fairway/service/up/home';

type Network = Partial<
  Pick<LocalProcessRuntimeOptions, 'egress' | 'network' | 'address' | 'homeId' | 'alwaysAllowed' | 'nft'>
>;

/** UID of the only cluster. */
export const CLUSTER_UID = 'uid-1';

/** A cluster with a process-based control plane in a directory, requested as the Cluster controller would. */
export class ProcessCluster {
  readonly #parent: string;
  readonly #assets: string;
  readonly #network: Network;
  runtime: ProcessRuntime;
  spec: ControlPlaneSpec;

  private constructor(parent: string, assets: string, spec: ControlPlaneSpec, clock: Clock, network: Network) {
    this.#parent = parent;
    this.#assets = assets;
    this.#network = network;
    this.spec = spec;
    this.runtime = this.openRuntime(clock);
  }

  /** `assets` is a value for KUBEBUILDER_ASSETS. */
  static async open(
    parent: string,
    assets: string,
    version: string,
    clock = systemClock,
    network: Network = {},
  ): Promise<ProcessCluster> {
    const spec: ControlPlaneSpec = {
      cluster: { uid: CLUSTER_UID, name: 'demo', namespace: 'team' },
      version,
      pki: await createClusterPki(clock),
      podCIDR: '10.2.0.0/16',
      serviceCIDR: '10.3.0.0/16',
      apiServer: { admissionPlugins: { enabled: ['AlwaysPullImages', 'NodeRestriction'], disabled: [] } },
      topology: { topology: 'SingleZone', replicas: 1 },
      etcdQuotaBytes: 64 * 2 ** 20,
      dnsNames: [],
      ipAddresses: [],
      nodeNetworks: [],
      nodeAddresses: [],
      endpoint: undefined,
    };
    return new ProcessCluster(parent, assets, spec, clock, network);
  }

  /** Opens the runtime as a starting Fairway does. */
  openRuntime(clock = systemClock, more: Network = {}): ProcessRuntime {
    return localProcessRuntime({
      folder: join(this.#parent, 'runtime'),
      snapshotFolder: join(this.#parent, 'snapshots'),
      env: { ...process.env, KUBEBUILDER_ASSETS: this.#assets },
      binaryFolders: [],
      homeId: 'test',
      ...this.#network,
      ...more,
      identify: identifyProcess,
      clock,
      random: Math.random,
      log: silentLogger,
    });
  }

  /** The cluster's directory. */
  get folder(): string {
    return join(this.#parent, 'runtime', CLUSTER_UID);
  }

  /** Polls until the state matches. No state is final: failed components are restarted. */
  async waitForState(predicate: (state: ControlPlaneState) => boolean): Promise<ControlPlaneState> {
    for (;;) {
      const changed = Promise.withResolvers<void>();
      const unsubscribe = this.runtime.onChange(() => changed.resolve());
      const state = await this.runtime.ensure(this.spec);
      if (predicate(state)) {
        unsubscribe();
        return state;
      }
      await changed.promise;
      unsubscribe();
    }
  }

  /** A client that acts as Fairway itself, once the namespace `default` exists. */
  async connect({ endpoint }: ControlPlaneState): Promise<KubeClient> {
    if (endpoint === undefined) throw new Error('the control plane has no endpoint');
    const requirement = certificateRequirements(this.spec).find(({ component }) => component === 'fairway');
    if (requirement === undefined) throw new Error('Fairway has no certificate');
    const { pki } = this.spec;
    const { certificatePem, privateKeyPem } = await issueComponentCertificate(pki, requirement, systemClock);
    const client = new KubeClient(
      new HttpsTransport({
        server: endpointUrl(endpoint),
        certificateAuthority: trustBundle(pki.cluster),
        clientCertificate: () => ({ certificate: certificatePem, privateKey: privateKeyPem }),
        clock: systemClock,
      }),
    );
    // An API server creates the namespace a moment after it is first ready.
    await eventuallyObject(client.resource(Namespaces), { name: 'default' });
    return client;
  }
}

export function isRunning({ phase }: ControlPlaneState): boolean {
  return phase === 'Running';
}
