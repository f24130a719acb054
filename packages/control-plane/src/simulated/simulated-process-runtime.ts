import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '@fairway/base/clock';
import { leaveToAct } from '@fairway/base/fence';
import type { Logger } from '@fairway/base/log';
import { trustBundle } from '../pki/cluster-pki.ts';
import {
  COMPONENT_VALIDITY_MS,
  certificateRequirements,
  issueComponentCertificate,
} from '../pki/component-certificates.ts';
import { type ClusterRecord, endpointOf, makeRecord, readRecord, writeRecord } from '../process/cluster-record.ts';
import { controlPlaneState } from '../process/control-plane-state.ts';
import { type Files, pathsIn } from '../process/files.ts';
import type { ApiServerTarget, Probes } from '../process/probes.ts';
import type { ProcessHost } from '../process/process-host.ts';
import { ControlPlaneSupervisor } from '../process/supervisor.ts';
import type { ControlPlaneRuntime, ControlPlaneSpec, ControlPlaneState } from '../runtime.ts';
import { fingerprintOf } from './fingerprint.ts';
import { renderSpecFile } from './spec-file.ts';

export interface SimulatedProcessRuntimeOptions {
  /** Holds a folder for each cluster, named by its UID. */
  readonly folder: string;
  /** Where API servers listen. */
  readonly address: string;
  /** What runs a simulated control plane, given its folder as last argument. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  readonly host: ProcessHost;
  readonly probes: Probes;
  readonly files: Files;
  readonly isPortFree: (port: number) => Promise<boolean>;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** What the program reads in its folder. */
export const SPEC_FILE = 'control-plane.json';

interface Slot {
  readonly supervisor: ControlPlaneSupervisor;
  record: ClusterRecord | undefined;
  /** How it is asked whether it serves, what that was made from, and until when that is good. */
  target: { readonly apiServer: ApiServerTarget; readonly of: string; readonly renewAtMs: number } | undefined;
  wanted: string | undefined;
  turn: Promise<unknown>;
  isGoing: boolean;
}

/**
 * Runs each simulated control plane as a process of its own, which serves on when this one ends or is killed, and which the next one on this machine adopts:
 * what several replicas need who hand clusters to each other.
 */
export class SimulatedProcessRuntime implements ControlPlaneRuntime {
  readonly name = 'simulated';
  readonly #options: SimulatedProcessRuntimeOptions;
  readonly #slots = new Map<string, Slot>();
  readonly #listeners = new Set<(clusterUid: string) => void>();
  readonly #ports = new Set<number>();
  #closed = false;

  constructor(options: SimulatedProcessRuntimeOptions) {
    this.#options = options;
  }

  async ensure(spec: ControlPlaneSpec): Promise<ControlPlaneState> {
    if (this.#closed) throw new Error('the runtime of simulated control planes is closed');
    const slot = this.#slotOf(spec.cluster.uid);
    if (!slot.isGoing) {
      const turn = slot.turn.then(() => this.#prepare(slot, spec, leaveToAct()));
      slot.turn = turn.catch(() => {});
      await turn;
    }
    return this.#stateOf(slot, spec);
  }

  remove(clusterUid: string): Promise<boolean> {
    const isKnown = this.#slots.has(clusterUid) || this.#folders().includes(clusterUid);
    if (!isKnown) return Promise.resolve(true);
    const slot = this.#slotOf(clusterUid);
    if (!slot.isGoing) void this.#removeSlot(clusterUid, slot, leaveToAct());
    return Promise.resolve(false);
  }

  async release(clusterUid: string): Promise<void> {
    const slot = this.#slots.get(clusterUid);
    if (slot === undefined) return;
    this.#slots.delete(clusterUid);
    await slot.turn;
    slot.supervisor.leave();
  }

  list(): Promise<readonly string[]> {
    return Promise.resolve([...new Set([...this.#slots.keys(), ...this.#folders()])]);
  }

  onChange(listener: (clusterUid: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends nothing: whoever looks after them next adopts them. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    await Promise.all([...this.#slots.keys()].map((uid) => this.release(uid)));
  }

  async #removeSlot(uid: string, slot: Slot, mayAct: () => boolean): Promise<void> {
    slot.isGoing = true;
    try {
      await slot.turn;
      await slot.supervisor.stop(mayAct);
      if (!mayAct()) return;
      this.#options.files.removeFolder(this.#folderOf(uid));
      if (slot.record) this.#ports.delete(slot.record.port);
      this.#slots.delete(uid);
    } catch (error) {
      slot.isGoing = false;
      this.#options.log.warn({ err: error, cluster: uid }, 'a simulated control plane could not be removed');
    }
    this.#announce(uid);
  }

  async #prepare(slot: Slot, spec: ControlPlaneSpec, mayAct: () => boolean): Promise<void> {
    const { files, program, env } = this.#options;
    const folder = this.#folderOf(spec.cluster.uid);
    const path = pathsIn(folder);
    slot.record ??= readRecord(files, folder) ?? (await this.#newRecord(spec, folder));
    const told = { ...spec, endpoint: endpointOf(slot.record) };
    for (const name of ['run', 'logs']) files.makeFolder(path(name));
    const fingerprint = fingerprintOf(told);
    const apiServer = await this.#targetOf(slot, told, fingerprint);
    const { encryptionKey } = slot.record;
    const text = await renderSpecFile({ spec: told, encryptionKey });
    if (!mayAct()) return;
    if (files.read(path(SPEC_FILE)) !== text) files.write(path(SPEC_FILE), text);
    slot.wanted = spec.version;
    const { command, args } = program;
    const launch = {
      command,
      args: [...args, folder],
      env,
      fingerprint: shortened(fingerprint, command),
      sockets: [],
      memoryBytes: undefined,
    };
    await slot.supervisor.want({ launches: { 'kube-apiserver': launch }, apiServer }, mayAct);
  }

  #newRecord(spec: ControlPlaneSpec, folder: string): Promise<ClusterRecord> {
    const { files, address, random, isPortFree } = this.#options;
    const others = this.#folders().map((uid) => this.#folderOf(uid));
    const ports = this.#ports;
    return makeRecord({ files, folder, others, ports, address, endpoint: spec.endpoint, random, isPortFree });
  }

  /** How the API server is asked whether it serves. */
  async #targetOf(
    slot: Slot,
    spec: ControlPlaneSpec & { readonly endpoint: ApiServerTarget['endpoint'] },
    of: string,
  ): Promise<ApiServerTarget> {
    const { clock } = this.#options;
    const isCurrent = slot.target?.of === of && clock.now() < slot.target.renewAtMs;
    if (slot.target && isCurrent) return slot.target.apiServer;
    const own = certificateRequirements(spec).find(({ component }) => component === 'fairway');
    if (own === undefined) throw new Error('there is no certificate for Fairway among those of a control plane');
    const issued = await issueComponentCertificate(spec.pki, own, clock);
    const apiServer = {
      endpoint: spec.endpoint,
      certificateAuthority: trustBundle(spec.pki.cluster),
      certificate: issued.certificatePem,
      privateKey: issued.privateKeyPem,
    };
    slot.target = { apiServer, of, renewAtMs: clock.now() + COMPONENT_VALIDITY_MS / 2 };
    return apiServer;
  }

  #stateOf(slot: Slot, spec: ControlPlaneSpec): ControlPlaneState {
    const { state } = slot.supervisor;
    const endpoint = slot.record ? endpointOf(slot.record) : spec.endpoint;
    if (slot.isGoing) {
      const message = 'The control plane is being removed.';
      const common = { endpoint, version: undefined, ready: false, etcdUsageBytes: undefined };
      return { ...common, phase: 'Updating', reason: 'Deleting', message };
    }
    const { ready, current } = state.components['kube-apiserver'];
    if (ready && current && slot.record && slot.wanted && slot.record.version !== slot.wanted) {
      slot.record = { ...slot.record, version: slot.wanted };
      writeRecord(this.#options.files, this.#folderOf(spec.cluster.uid), slot.record);
    }
    return controlPlaneState({ supervised: state, endpoint, version: slot.record?.version });
  }

  #slotOf(uid: string): Slot {
    const known = this.#slots.get(uid);
    if (known) return known;
    const { host, probes, files, clock, log } = this.#options;
    const supervisor = new ControlPlaneSupervisor({
      folder: this.#folderOf(uid),
      host,
      probes,
      files,
      clock,
      log: log.child({ cluster: uid }),
      onChange: () => this.#announce(uid),
    });
    const slot: Slot = {
      supervisor,
      record: undefined,
      target: undefined,
      wanted: undefined,
      turn: Promise.resolve(),
      isGoing: false,
    };
    this.#slots.set(uid, slot);
    return slot;
  }

  #folders(): readonly string[] {
    return this.#options.files.folders(this.#options.folder);
  }

  #folderOf(uid: string): string {
    return join(this.#options.folder, uid);
  }

  #announce(uid: string): void {
    for (const listener of this.#listeners) listener(uid);
  }
}

function shortened(fingerprint: string, command: string): string {
  return createHash('sha256').update(`${command}\n${fingerprint}`).digest('hex').slice(0, 32);
}
