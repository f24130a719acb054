import { join } from 'node:path';
import type { UnenforcedFields } from '@fairway/api/admission/unenforced-fields';
import type { LogLocation } from '@fairway/apiserver/audit/newest-lines';
import { TENANT_AUDIT_FOLDER, tenantLogLocation } from '../audit/tenant-audit-log.ts';
import { OffHostRemovals } from '../off-host/off-host-removals.ts';
import type { SnapshotArchive } from '../off-host/snapshot-archive.ts';
import {
  type ControlPlaneRuntime,
  type ControlPlaneSpec,
  type ControlPlaneState,
  type ControlPlaneUsage,
  ONE_COPY,
} from '../runtime.ts';
import { AccessGuard, type AccessState } from './access/access-guard.ts';
import { allowedSources, enforcedMessage } from './access/allowed-sources.ts';
import type { Nft } from './access/nft.ts';
import { SettingsTrial } from './api-server-settings.ts';
import { BinaryFinder } from './binary-finder.ts';
import { grantFolderAccess } from './cluster-folder.ts';
import { type ClusterRecord, endpointOf, quotaDueBytes, quotaToApply, userOf } from './cluster-record.ts';
import { ClusterSlots, type ProcessMachine, removingState, type Slot } from './cluster-slots.ts';
import { controlPlaneState } from './control-plane-state.ts';
import { DatabaseDefragmenter } from './database-defragmenter.ts';
import { prepareControlPlane } from './desired-control-plane.ts';
import { ClusterEgress, type EgressOptions } from './egress/cluster-egress.ts';
import { etcdCall } from './etcd-client.ts';
import type { Binaries } from './find-binaries.ts';
import { ClusterPolicies, withoutFailures } from './limit-policies/cluster-policies.ts';
import type { ProcessUser } from './process-user.ts';
import { ClusterSnapshots } from './snapshots/cluster-snapshots.ts';
import type { RunCommand } from './snapshots/restore-tool.ts';
import { SnapshotFolder } from './snapshots/snapshot-folder.ts';
import { type Isolation, Tenancy } from './tenant-isolation.ts';
import type { Reviews } from './token-webhook.ts';

export interface ProcessRuntimeOptions extends ProcessMachine {
  /** The directory that contains a subdirectory of snapshots for each cluster. */
  readonly snapshotFolder: string;
  /** Finds binaries; called again as long as none match. */
  readonly findBinaries: () => Promise<readonly Binaries[]>;
  /** Directories to search for restore tools, after etcd's own directory. */
  readonly toolFolders: readonly string[];
  readonly runCommand: RunCommand;
  readonly egress: EgressOptions;
  readonly isolation: Isolation;
  readonly access: AccessOptions;
  /** Where copies of snapshots are stored; undefined without off-host copies. */
  readonly archive: SnapshotArchive | undefined;
}

/** How access to API servers is restricted; see AccessGuardOptions. */
export interface AccessOptions {
  readonly homeId: string;
  readonly nft: Nft | undefined;
  readonly alwaysAllowed: readonly string[];
}

/** State of a cluster in addition to its supervisor. */
interface Parts {
  readonly uid: string;
  readonly snapshots: ClusterSnapshots;
  readonly defragmenter: DatabaseDefragmenter;
  readonly egress: ClusterEgress;
  readonly settings: SettingsTrial;
  readonly policies: ClusterPolicies;
  /** Why the supervisor was not given a desired state. */
  problem: string | undefined;
  /** Whether the cause is that the binaries of the requested version are missing. */
  isMissing: boolean;
  /** Which API server settings are not applied, and why. */
  settingsProblem: string | undefined;
  /** Restricts access to the API server. */
  access: AccessState;
  /** The data generation whose directory this process has already handed over to the cluster's user. */
  openedGeneration: number | undefined;
  /** When the first of the cluster's certificates expires. */
  certificatesEndMs: number | undefined;
}

/**
 * Runs control planes as processes on this machine. The processes survive when this process is killed, and stop when
 * the runtime is closed.
 */
export class ProcessRuntime implements ControlPlaneRuntime {
  readonly name = 'process';
  readonly spread = ONE_COPY;
  readonly reachesNodes = true;
  readonly reviewsTokens = true;
  readonly #options: ProcessRuntimeOptions;
  readonly #slots: ClusterSlots<Parts>;
  readonly #binaries: BinaryFinder;
  readonly #tenancy: Tenancy;
  readonly #access: AccessGuard;
  readonly #offHostRemovals: OffHostRemovals | undefined;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
    this.#tenancy = new Tenancy(options.isolation);
    this.#binaries = new BinaryFinder(options.findBinaries, options.clock);
    this.#access = new AccessGuard({
      ...options.access,
      onChange: (uid) => this.#slots.announce(uid),
      clock: options.clock,
      log: options.log,
    });
    const { archive, folder } = options;
    this.#offHostRemovals = archive && new OffHostRemovals(`${folder}-removed-off-host`, archive, options);
    this.#slots = new ClusterSlots<Parts>(options, {
      open: (cluster, announce) => this.#openParts(cluster, announce),
      stop: async ({ uid, snapshots, defragmenter, egress, policies }) => {
        this.#access.forget(uid);
        await Promise.all([snapshots.stop(), defragmenter.stop(), egress.stop(), policies.stop()]);
      },
      remove: async ({ uid, parts }) => {
        await this.#offHostRemovals?.add(uid);
        await parts.snapshots.removeAll();
      },
      free: async ({ uid, record }) => {
        this.#tenancy.forget(uid);
        await this.#access.remove(uid);
        const user = record && userOf(record);
        if (user !== undefined && options.isolation.users !== undefined) await options.isolation.users.free(uid, user);
      },
    });
  }

  versions(): Promise<readonly string[]> {
    return this.#binaries.versions();
  }

  async ensure(spec: ControlPlaneSpec): Promise<ControlPlaneState> {
    const slot = await this.#slots.serialize(spec.cluster.uid, (lockedSlot) => this.#prepare(lockedSlot, spec));
    if (slot.isBeingRemoved) return removingState(spec.endpoint);
    await this.#slots.recordVersion(slot);
    const state = this.#stateOf(slot, spec);
    if (state.phase === 'Running') await slot.parts.snapshots.settle(slot.record);
    return state;
  }

  async unenforcedFields(): Promise<UnenforcedFields> {
    const problem = await this.#access.problemAt(this.#options.address);
    return problem === undefined ? {} : { 'spec.apiServer.allowedCIDRs': problem };
  }

  auditLog(clusterUid: string): Promise<LogLocation | undefined> {
    const known = this.#slots.knownRecord(clusterUid);
    return Promise.resolve(
      known && tenantLogLocation(join(known.folder, TENANT_AUDIT_FOLDER), userOf(known.record)?.uid),
    );
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

  /** Stops all control planes in order, including those for which `ensure` was never called. */
  async close(): Promise<void> {
    this.#slots.close();
    await this.#slots.stopUnwanted(() => false);
    this.#access.stop();
    await this.#offHostRemovals?.stop();
    await this.#logFailure(this.#access.removeTable());
  }

  /** Leaves all programs running: the next process to manage the control planes adopts them. */
  async detach(): Promise<void> {
    this.#slots.close();
    await this.#slots.releaseAll();
    this.#access.stop();
    await this.#offHostRemovals?.stop();
  }

  /**
   * Stops control planes that an earlier Fairway process left running for clusters that no longer exist. Their data is
   * kept.
   */
  async stopUnwanted(shouldKeep: (clusterUid: string) => boolean): Promise<void> {
    await this.#slots.stopUnwanted(shouldKeep);
    await this.#logFailure(this.#access.removeUnknown(shouldKeep));
  }

  /** Failing to remove rules is harmless: they only block unused ports. */
  async #logFailure(removal: Promise<void>): Promise<void> {
    await removal.catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'could not remove firewall rules of former API servers');
    });
  }

  async #prepare(slot: Slot<Parts>, spec: ControlPlaneSpec): Promise<void> {
    const { parts, folder, supervisor } = slot;
    // Users who are no longer admitted lose access immediately: the following steps may keep failing for days while the
    // API server runs.
    parts.egress.setReviews(reviewsOf(spec));
    const binaries = await this.#binaries.binariesFor(spec.version);
    parts.isMissing = 'problem' in binaries;
    parts.problem =
      'problem' in binaries ? binaries.problem : this.#tenancy.problemOf(spec.cluster, this.#slots.records());
    if (parts.problem !== undefined || 'problem' in binaries) return;
    const { user, record } = await this.#recordOf(slot, spec);
    const { state } = supervisor;
    const etcdQuotaBytes = quotaToApply(record.etcdQuotaBytes, spec.etcdQuotaBytes, state.databaseBytes);
    const policies = parts.policies.choose(spec, binaries.version, record.rejectedPolicies, state);
    const evidence = policies.isFileToBlame ? withoutFailures(state) : state;
    const chosen = parts.settings.choose(spec.apiServer, binaries.version, record.settings ?? {}, evidence);
    await this.#slots.keep(slot, {
      etcdQuotaBytes,
      settings: chosen.record,
      rejectedPolicies: policies.rejected,
    });
    parts.settingsProblem = chosen.problem;
    const generation = record.dataGeneration ?? 0;
    if (parts.openedGeneration !== generation) await grantFolderAccess(user, folder, generation);
    parts.openedGeneration = generation;
    await parts.egress.ensure(user, spec.nodeNetworks);
    const { mayAct } = slot;
    parts.problem = await this.#restrictAccess(slot, record, spec);
    if (parts.problem !== undefined) return;
    if (!parts.snapshots.isRestoring) {
      slot.desiredVersion = binaries.version;
      const apiServer = { ...spec.apiServer, oidc: undefined, ...chosen.settings };
      const desired = await prepareControlPlane({
        ...this.#options,
        spec: { ...spec, apiServer, etcdQuotaBytes },
        binaries,
        record,
        policyFile: policies.text,
        endpoint: endpointOf(record),
        folder,
        user,
      });
      parts.certificatesEndMs = desired.certificatesEndMs;
      parts.egress.setPodAccess(desired);
      parts.egress.serveReviews(desired.tokenWebhook, reviewsOf(spec));
      const databaseDueBytes = quotaDueBytes(etcdQuotaBytes, spec.etcdQuotaBytes);
      await supervisor.setDesired({ ...desired, databaseDueBytes }, mayAct);
      parts.settings.recordApplied(chosen.settings);
      parts.policies.check(desired.apiServer, supervisor.state);
    }
    this.#keepDatabase(slot, { ...spec, etcdQuotaBytes }, binaries);
  }

  /**
   * Restricts which addresses may reach the API server before it listens. Returns why the API server must not be
   * started.
   */
  async #restrictAccess(slot: Slot<Parts>, record: ClusterRecord, spec: ControlPlaneSpec): Promise<string | undefined> {
    const sources = allowedSources(spec);
    const { uid: clusterUid, mayAct, supervisor, parts } = slot;
    const access = await this.#access.ensure({ clusterUid, endpoint: endpointOf(record), sources, mayAct });
    parts.access = access;
    if (!('problem' in access)) {
      await this.#slots.keep(slot, { isRestricted: access.kind === 'enforced' || undefined });
      return undefined;
    }
    // An API server that was never restricted continues to accept all clients, and its status reports this.
    const isOpenAnyway = access.kind === 'unavailable' && record.isRestricted !== true;
    const isRunning = supervisor.state.components['kube-apiserver'].running;
    if (isOpenAnyway || isRunning || sources === undefined) return undefined;
    return `the API server is not started until spec.apiServer.allowedCIDRs can be enforced: ${access.problem}`;
  }

  #keepDatabase(slot: Slot<Parts>, spec: ControlPlaneSpec, { paths }: Binaries): void {
    const { supervisor, parts, record, mayAct } = slot;
    if (record === undefined) return;
    const { isDatabaseFull, components } = supervisor.state;
    const isEtcdUpToDate = components.etcd.ready && components.etcd.current && mayAct();
    parts.defragmenter.step(isDatabaseFull && isEtcdUpToDate, spec.etcdQuotaBytes);
    parts.snapshots.ensure({ spec, record, etcd: paths.etcd, mayAct }, (restored) => this.#slots.keep(slot, restored));
  }

  /** The record, with a dedicated user for the cluster's programs if each cluster has one. */
  async #recordOf(
    slot: Slot<Parts>,
    spec: ControlPlaneSpec,
  ): Promise<{ readonly record: ClusterRecord; readonly user: ProcessUser | undefined }> {
    const { users } = this.#options.isolation;
    const known = await this.#slots.recordOf(slot, spec.endpoint);
    const { namespace } = spec.cluster;
    if (users === undefined || userOf(known) !== undefined) await this.#slots.keep(slot, { namespace });
    else await this.#slots.keep(slot, { namespace, userId: (await users.userOf(slot.uid)).uid });
    const record = slot.record ?? known;
    return { record, user: userOf(record) };
  }

  #stateOf({ parts, record, supervisor }: Slot<Parts>, spec: ControlPlaneSpec): ControlPlaneState {
    const { problem, isMissing, access } = parts;
    const { state: snapshots, isRestoring } = parts.snapshots;
    const supervised = controlPlaneState({
      supervised: supervisor.state,
      endpoint: record ? endpointOf(record) : spec.endpoint,
      version: record?.version,
      restoring: isRestoring ? snapshots.restoring?.message : undefined,
    });
    const { certificatesEndMs } = parts;
    const state = {
      ...supervised,
      certificatesEndMs,
      limitPolicies: parts.policies.state,
      snapshots,
      ...settingsState(parts, enforcedMessage(spec, access)),
    };
    if (problem === undefined) return state;
    const reason = isMissing ? 'ProgramsMissing' : 'ControlPlaneFailed';
    return { ...state, phase: 'Failed', reason, message: problem };
  }

  #openParts(
    { uid, folder, supervisor }: Pick<Slot<Parts>, 'uid' | 'folder' | 'supervisor'>,
    onChange: () => void,
  ): Parts {
    const { clock, probes, snapshotFolder, archive, toolFolders, runCommand, egress } = this.#options;
    const log = this.#options.log.child({ cluster: uid });
    const snapshots = new ClusterSnapshots({
      folder,
      snapshots: new SnapshotFolder(join(snapshotFolder, uid)),
      archive,
      clusterUid: uid,
      toolFolders,
      run: runCommand,
      supervisor,
      probes,
      clock,
      log,
      onChange,
    });
    return {
      uid,
      snapshots,
      access: { kind: 'open' },
      defragmenter: new DatabaseDefragmenter({ call: etcdCall(folder), clock, log, onChange }),
      egress: new ClusterEgress(folder, { ...egress, clock }, log),
      settings: new SettingsTrial(),
      policies: new ClusterPolicies({ probe: (target) => probes.policies(target), clock, onChange }),
      problem: undefined,
      isMissing: false,
      settingsProblem: undefined,
      openedGeneration: undefined,
      certificatesEndMs: undefined,
    };
  }
}

function reviewsOf({ reviewToken, reviewAccess }: ControlPlaneSpec): Reviews | undefined {
  return reviewToken && { reviewToken, reviewAccess };
}

/** The tenant's own mistakes are reported first, because the tenant can correct them. */
function settingsState(
  { settingsProblem, access }: Pick<Parts, 'settingsProblem' | 'access'>,
  settingsInEffect: string | undefined,
): Pick<ControlPlaneState, 'settingsProblem' | 'settingsReason' | 'settingsInEffect'> {
  if (settingsProblem !== undefined) return { settingsProblem };
  if (!('problem' in access)) return { settingsInEffect };
  const effect =
    access.kind === 'unavailable'
      ? 'The API server accepts connections from anywhere.'
      : 'The previous restriction remains in effect.';
  const message = `spec.apiServer.allowedCIDRs is not applied: ${access.problem}. ${effect}`;
  return { settingsProblem: message, settingsReason: 'SettingsNotEnforced' };
}
