import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { UnenforcedFields } from '@fairway/api/admission/unenforced-fields';
import type { LogLocation } from '@fairway/apiserver/audit/newest-lines';
import { TENANT_AUDIT_FOLDER, tenantLogLocation } from '../audit/tenant-audit-log.ts';
import { trustBundle } from '../pki/cluster-pki.ts';
import {
  COMPONENT_VALIDITY_MS,
  certificateRequirements,
  issueComponentCertificate,
} from '../pki/component-certificates.ts';
import { endpointOf } from '../process/cluster-record.ts';
import { ClusterSlots, type ProcessMachine, removingState, type Slot } from '../process/cluster-slots.ts';
import { controlPlaneState } from '../process/control-plane-state.ts';
import type { EgressExceptions } from '../process/egress/egress-policy.ts';
import { pathResolver } from '../process/files.ts';
import type { ApiServerTarget } from '../process/probes.ts';
import {
  type ControlPlaneRuntime,
  type ControlPlaneSpec,
  type ControlPlaneState,
  type ControlPlaneUsage,
  ONE_COPY,
} from '../runtime.ts';
import { fingerprintOf } from './fingerprint.ts';
import { renderSpecFile } from './spec-file.ts';
import { UNENFORCED_WHEN_SIMULATED, unsupportedWhenSimulated } from './unsupported-settings.ts';

export interface SimulatedProcessRuntimeOptions extends ProcessMachine {
  /** Command that runs a simulated control plane; its last argument is the directory. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  /** Exceptions to the destinations that API servers may connect to. */
  readonly egress?: EgressExceptions | undefined;
}

/** The file that the program reads in its directory. */
export const SPEC_FILE = 'control-plane.json';

interface Parts {
  /** Credentials for readiness probes, the certificates they were derived from, and their expiry. */
  target: { readonly apiServer: ApiServerTarget; readonly of: string; readonly renewAtMs: number } | undefined;
}

/**
 * Runs each simulated control plane as a separate process, which outlives this one and is adopted by the next
 * one on this machine. Replicas that hand over clusters to each other require this.
 */
export class SimulatedProcessRuntime implements ControlPlaneRuntime {
  readonly name = 'simulated';
  readonly spread = ONE_COPY;
  readonly reachesNodes = false;
  readonly reviewsTokens = false;
  readonly #options: SimulatedProcessRuntimeOptions;
  readonly #slots: ClusterSlots<Parts>;

  constructor(options: SimulatedProcessRuntimeOptions) {
    this.#options = options;
    this.#slots = new ClusterSlots<Parts>(options, {
      open: () => ({ target: undefined }),
      stop: () => Promise.resolve(),
      remove: () => Promise.resolve(),
      free: () => Promise.resolve(),
    });
  }

  versions(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async ensure(spec: ControlPlaneSpec): Promise<ControlPlaneState> {
    const slot = await this.#slots.serialize(spec.cluster.uid, (lockedSlot) => this.#prepare(lockedSlot, spec));
    const endpoint = slot.record ? endpointOf(slot.record) : spec.endpoint;
    if (slot.isBeingRemoved) return removingState(endpoint);
    await this.#slots.recordVersion(slot);
    const state = controlPlaneState({ supervised: slot.supervisor.state, endpoint, version: slot.record?.version });
    return { ...state, ...unsupportedWhenSimulated(spec) };
  }

  unenforcedFields(): Promise<UnenforcedFields> {
    return Promise.resolve(UNENFORCED_WHEN_SIMULATED);
  }

  auditLog(clusterUid: string): Promise<LogLocation | undefined> {
    const known = this.#slots.knownRecord(clusterUid);
    return Promise.resolve(known && tenantLogLocation(join(known.folder, TENANT_AUDIT_FOLDER), undefined));
  }

  hibernate(clusterUid: string): Promise<boolean> {
    return Promise.resolve(this.#slots.hibernate(clusterUid));
  }

  wipe(clusterUid: string): Promise<boolean> {
    return this.#slots.wipe(clusterUid);
  }

  remove(clusterUid: string): Promise<boolean> {
    return Promise.resolve(this.#slots.remove(clusterUid));
  }

  release(clusterUid: string): Promise<void> {
    return this.#slots.release(clusterUid);
  }

  list(): Promise<readonly string[]> {
    return Promise.resolve(this.#slots.list());
  }

  usage(): ControlPlaneUsage {
    return this.#slots.usage();
  }

  onChange(listener: (clusterUid: string) => void): () => void {
    return this.#slots.onChange(listener);
  }

  /** Leaves all programs running: the next process to manage the control planes adopts them. */
  async close(): Promise<void> {
    this.#slots.close();
    await this.#slots.releaseAll();
  }

  async #prepare(slot: Slot<Parts>, spec: ControlPlaneSpec): Promise<void> {
    const { files, program, env, egress } = this.#options;
    const { folder, mayAct } = slot;
    const path = pathResolver(folder);
    const record = await this.#slots.recordOf(slot, spec.endpoint);
    const reportedSpec = { ...spec, endpoint: endpointOf(record) };
    for (const name of ['run', 'logs']) await files.makeFolder(path(name));
    const fingerprint = fingerprintOf(reportedSpec);
    const apiServer = await this.#targetOf(slot.parts, reportedSpec, fingerprint);
    const text = await renderSpecFile({ spec: reportedSpec, encryptionKey: record.encryptionKey, egress });
    if (!mayAct()) return;
    if (files.read(path(SPEC_FILE)) !== text) await files.write(path(SPEC_FILE), text);
    slot.desiredVersion = spec.version;
    const { command, args } = program;
    const launch = {
      command,
      args: [...args, folder],
      env,
      fingerprint: shortened(fingerprint, command),
      sockets: [],
      memoryBytes: undefined,
    };
    await slot.supervisor.setDesired({ launches: { 'kube-apiserver': launch }, apiServer }, mayAct);
  }

  /** TLS options of the readiness probe. */
  async #targetOf(
    parts: Parts,
    spec: ControlPlaneSpec & { readonly endpoint: ApiServerTarget['endpoint'] },
    of: string,
  ): Promise<ApiServerTarget> {
    const { clock } = this.#options;
    const isCurrent = parts.target?.of === of && clock.now() < parts.target.renewAtMs;
    if (parts.target && isCurrent) return parts.target.apiServer;
    const own = certificateRequirements(spec).find(({ component }) => component === 'fairway');
    if (own === undefined) throw new Error('no control plane certificate is issued for Fairway');
    const issued = await issueComponentCertificate(spec.pki, own, clock);
    const apiServer = {
      endpoint: spec.endpoint,
      certificateAuthority: trustBundle(spec.pki.cluster),
      certificate: issued.certificatePem,
      privateKey: issued.privateKeyPem,
    };
    parts.target = { apiServer, of, renewAtMs: clock.now() + COMPONENT_VALIDITY_MS / 2 };
    return apiServer;
  }
}

function shortened(fingerprint: string, command: string): string {
  return createHash('sha256').update(`${command}\n${fingerprint}`).digest('hex').slice(0, 32);
}
