import { type LifecycleStep, pickDurationMs } from '../http/latency.ts';
import { Agenda } from '../state/agenda.ts';
import type { World } from '../world.ts';
import { supportsAccessType } from './access-form.ts';
import type { AccessRule, Share, ShareSnapshot, ShareStatus, ShareStep } from './records.ts';

const SHARE_STEPS: Readonly<Record<ShareStep['step'], LifecycleStep>> = {
  create: 'createShare',
  delete: 'deleteShare',
  extend: 'resizeShare',
  shrink: 'resizeShare',
};

const FAILED_STATUS: Readonly<Record<ShareStep['step'], ShareStatus>> = {
  create: 'error',
  delete: 'error_deleting',
  extend: 'extending_error',
  shrink: 'shrinking_error',
};

type AgendaItem =
  | { readonly step: 'create' | 'delete' }
  | { readonly step: 'extend' | 'shrink'; readonly sizeGiB: number };

/** The name of the only back end in each zone. */
export const BACKEND = 'simulated';

/** Simulates Manila's scheduler and back ends, step by step on the cloud's clock. */
export class ShareLifecycle {
  readonly #world: World;
  readonly #shares: Agenda<Share>;
  readonly #snapshots: Agenda<ShareSnapshot>;
  readonly #rules: Agenda<AccessRule>;

  constructor(world: World) {
    this.#world = world;
    this.#shares = new Agenda(world, world.tables.shares, (share) => this.#runShare(share));
    this.#snapshots = new Agenda(world, world.tables.shareSnapshots, (snapshot) => this.#runSnapshot(snapshot));
    this.#rules = new Agenda(world, world.tables.accessRules, (rule) => this.#runRule(rule));
  }

  resume(): void {
    for (const agenda of [this.#shares, this.#snapshots, this.#rules]) agenda.resume();
  }

  close(): void {
    for (const agenda of [this.#shares, this.#snapshots, this.#rules]) agenda.close();
  }

  /** Stores the share with pending work, replacing earlier pending work. */
  begin(share: Share, work: AgendaItem): Share {
    return this.#shares.put({ ...share, pending: { ...work, dueMs: this.#dueMs(SHARE_STEPS[work.step]) } });
  }

  /** Stores the share without pending work. */
  settle(share: Share): Share {
    return this.#shares.put({ ...share, pending: null });
  }

  beginSnapshot(snapshot: ShareSnapshot, step: 'create' | 'delete'): ShareSnapshot {
    const dueMs = this.#dueMs(step === 'create' ? 'createShareSnapshot' : 'deleteShareSnapshot');
    return this.#snapshots.put({ ...snapshot, pending: { step, dueMs } });
  }

  settleSnapshot(snapshot: ShareSnapshot): ShareSnapshot {
    return this.#snapshots.put({ ...snapshot, pending: null });
  }

  /** Stores a rule that the back end has not processed yet. */
  beginRule(rule: AccessRule, step: 'take' | 'deny'): AccessRule {
    return this.#rules.put({ ...rule, pending: { step, dueMs: this.#dueMs('changeShareAccess') } });
  }

  #dueMs(step: LifecycleStep): number {
    const { clock, config, random } = this.#world;
    return clock.now() + pickDurationMs(config.latency.lifecycle[step], random);
  }

  #hasFault(step: string, { projectId }: { readonly projectId: string }): boolean {
    const projectName = this.#world.tables.projects.get(projectId)?.name ?? '';
    return this.#world.faults.matchShare(step, projectId, projectName);
  }

  #runShare(share: Share): void {
    const { pending } = share;
    if (pending === null) return;
    if (pending.step === 'create' && !this.#isPlaceable(share)) {
      this.#addMessage(
        share,
        "allocate host: No storage could be allocated for this share request, Capabilities filter didn't succeed.",
      );
      this.settle({ ...share, status: 'error' });
      return;
    }
    const placed = pending.step === 'create' ? { ...share, isPlaced: true, zone: share.zone ?? this.#zone() } : share;
    if (this.#hasFault(pending.step, share)) {
      this.settle({ ...placed, status: FAILED_STATUS[pending.step] });
    } else if (pending.step === 'delete') {
      this.#forget(share);
    } else {
      const sizeGiB = 'sizeGiB' in pending ? pending.sizeGiB : share.sizeGiB;
      this.settle({ ...placed, status: 'available', sizeGiB, isExported: true });
    }
  }

  #forget({ id }: Share): void {
    const { tables, indexes } = this.#world;
    for (const rule of indexes.accessRulesByShare.of(id)) tables.accessRules.delete(rule.id);
    tables.shares.delete(id);
  }

  /** Whether the back ends meet the requirements of the share's type. */
  #isPlaceable({ typeId }: Share): boolean {
    const { extraSpecs = {} } = this.#world.tables.shareTypes.get(typeId) ?? {};
    const { share_backend_name: name = BACKEND, driver_handles_share_servers: handles = 'False' } = extraSpecs;
    return name === BACKEND && !/^(1|t|true|on|y|yes)$/i.test(handles);
  }

  #zone(): string {
    return this.#world.config.zones[0]?.name ?? 'nova';
  }

  #addMessage({ id, projectId }: Share, text: string): void {
    const { tables, ids, clock } = this.#world;
    const requestId = `req-${ids.uuid()}`;
    tables.shareMessages.put({ id: ids.uuid(), projectId, resourceId: id, requestId, text, createdMs: clock.now() });
  }

  #runSnapshot(snapshot: ShareSnapshot): void {
    const { pending } = snapshot;
    if (pending === null) return;
    if (this.#hasFault(pending.step, snapshot)) {
      this.settleSnapshot({ ...snapshot, status: pending.step === 'create' ? 'error' : 'error_deleting' });
    } else if (pending.step === 'delete') {
      this.#world.tables.shareSnapshots.delete(snapshot.id);
    } else {
      this.settleSnapshot({ ...snapshot, status: 'available' });
    }
  }

  #runRule(rule: AccessRule): void {
    const { tables } = this.#world;
    const share = tables.shares.get(rule.shareId);
    if (rule.pending === null) return;
    switch (rule.pending.step) {
      case 'take': {
        const pending = { step: 'apply', dueMs: this.#dueMs('changeShareAccess') } as const;
        this.#rules.put({ ...rule, state: 'applying', pending });
        return;
      }
      case 'apply': {
        const isAccepted =
          share !== undefined && supportsAccessType(share.protocol, rule.type) && !this.#hasFault('access', share);
        this.#rules.put({ ...rule, state: isAccepted ? 'active' : 'error', pending: null });
        return;
      }
      case 'deny':
        tables.accessRules.delete(rule.id);
    }
  }
}
