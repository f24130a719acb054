import { IN_CLUSTER_FINALIZER, SYNCED_STATE_ANNOTATION } from '@fairway/api/group';
import type { InClusterNodePool } from '@fairway/api/kinds/in-cluster-node-pool';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Clock } from '@fairway/base/clock';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import { mergeDifference } from '../status-writer.ts';
import type { Budget } from './budget.ts';
import { changesBetween } from './changes.ts';
import { decide } from './decision.ts';
import { type InnerWriter, nameOf } from './inner-writer.ts';
import { mergeBaseOf, mergeBaseText, readSpec, stateOf } from './merge-base.ts';
import type { OuterWriter, WriteResult } from './outer-writer.ts';
import type { Refusals } from './refusals.ts';
import { innerStatus, type RequestOutcome } from './status.ts';

export interface PoolSides {
  readonly name: string;
  readonly outer: NodePool | undefined;
  readonly inner: InClusterNodePool | undefined;
  readonly isDefinitionDeleting: boolean;
}

export interface PoolPassOptions {
  readonly innerWriter: InnerWriter;
  readonly outerWriter: OuterWriter;
  /** Events in the tenant's cluster. */
  readonly innerEvents: Pick<EventRecorder, 'normal' | 'warning' | 'once'>;
  /** Events at Fairway's API. */
  readonly outerEvents: Pick<EventRecorder, 'normal'>;
  readonly budget: Budget;
  readonly refusals: Refusals;
  /** Whether the definition in the cluster is still the one under which the objects were read. */
  readonly isDefinitionUnchanged: () => Promise<boolean>;
  readonly clock: Clock;
}

/** The remaining work: an operation that costs budget, or a check for changes that the watch has not reported yet. */
export type PassResult = 'done' | 'spent' | 'stale' | 'refused';

/** Takes the steps that follow from the two sides of one pool. */
export class PoolPass {
  readonly #options: PoolPassOptions;

  constructor(options: PoolPassOptions) {
    this.#options = options;
  }

  async run(sides: PoolSides): Promise<PassResult> {
    const { outer, inner } = sides;
    const { budget, innerWriter, outerWriter } = this.#options;
    if (inner && isOlder(outer, inner)) {
      // Marks may be forged, on any number of objects.
      if (!budget.takeRead()) return 'spent';
      if (!(await outerWriter.isCurrent(sides.name, outer))) return 'stale';
    }
    const decision = decide({
      outer: outer && { ...stateOf(outer), isDeleting: outer.metadata.deletionTimestamp !== undefined },
      inner: inner && {
        hash: readSpec(inner).hash,
        shown: mergeBaseOf(inner),
        isDeleting: inner.metadata.deletionTimestamp !== undefined,
      },
      isDefinitionDeleting: sides.isDefinitionDeleting,
    });
    switch (decision.kind) {
      case 'none':
        return inner && outer ? this.#writeStatus(inner, outer, undefined) : 'done';
      case 'show':
        return outer === undefined ? 'done' : this.#show(sides.name, inner, outer);
      case 'settle':
        return inner === undefined || outer === undefined ? 'done' : this.#settle(inner, outer);
      case 'create':
        return inner === undefined ? 'done' : this.#create(inner);
      case 'change':
        return inner === undefined || outer === undefined ? 'done' : this.#change(inner, outer);
      case 'delete':
        return inner === undefined || outer === undefined ? 'done' : this.#delete(inner, outer);
      case 'refuse':
        return inner === undefined || outer === undefined ? 'done' : this.#conflict(inner, outer, decision.conflict);
      case 'withdraw':
        if (inner === undefined) return 'done';
        if (!budget.takeWrite()) return 'spent';
        await innerWriter.delete(inner);
        return 'done';
      case 'release':
        if (inner?.metadata.finalizers === undefined) return 'done';
        if (!budget.takeWrite()) return 'spent';
        await innerWriter.release(inner);
        return 'done';
    }
  }

  async #show(name: string, inner: InClusterNodePool | undefined, outer: NodePool): Promise<PassResult> {
    const { innerWriter, budget } = this.#options;
    if (!budget.takeWrite()) return 'spent';
    const state = stateOf(outer);
    if (inner !== undefined) {
      const written = await innerWriter.show(inner, state);
      return written === undefined ? 'stale' : this.#writeStatus(written, outer, UNCHANGED_OUTCOME);
    }
    const created = await innerWriter.create(name, state);
    // The new pool's UID is known only now.
    const marked = created && (await innerWriter.mark(created, state));
    return marked === undefined ? 'stale' : this.#writeStatus(marked, outer, undefined);
  }

  /** This also covers a process that was killed between the writes to the two sides. */
  async #settle(inner: InClusterNodePool, outer: NodePool): Promise<PassResult> {
    const { innerWriter, budget } = this.#options;
    const state = stateOf(outer);
    const text = mergeBaseText(state, inner.metadata.uid);
    const isMarked = isHeld(inner) && markOf(inner) === text;
    if (isMarked) return this.#writeStatus(inner, outer, undefined);
    if (!budget.takeWrite()) return 'spent';
    const marked = await innerWriter.mark(inner, state);
    if (marked === undefined) return 'stale';
    const mergeBase = mergeBaseOf(inner);
    const isReported = mergeBase?.generation === state.generation && mergeBase.identity === state.identity;
    return this.#writeStatus(marked, outer, isReported ? undefined : ACCEPTED_OUTCOME);
  }

  async #create(inner: InClusterNodePool): Promise<PassResult> {
    const { innerWriter, outerWriter, budget, refusals, isDefinitionUnchanged } = this.#options;
    if (!refusals.isDue(inner)) return 'refused';
    const read = readSpec(inner);
    if (read.problem !== undefined) return this.#refuseNew(inner, { reason: 'Invalid', message: read.problem });
    if (!isHeld(inner)) {
      if (!budget.takeWrite()) return 'spent';
      const held = await innerWriter.mark(inner, undefined);
      return held === undefined ? 'stale' : this.#create(held);
    }
    if (!budget.takeRequest()) return 'spent';
    if ((await innerWriter.current(inner)) === undefined || !(await isDefinitionUnchanged())) return 'stale';
    const result = await outerWriter.create(nameOf(inner), read.spec);
    if (result.kind === 'refused') return this.#refuseNew(inner, result);
    return this.#recordAccepted(
      inner,
      result,
      `created from the NodePool in the cluster: ${read.spec.replicas} of ${read.spec.flavor}`,
    );
  }

  async #change(inner: InClusterNodePool, outer: NodePool): Promise<PassResult> {
    const { innerWriter, outerWriter, budget, isDefinitionUnchanged } = this.#options;
    const read = readSpec(inner);
    const shown = mergeBaseOf(inner);
    if (shown === undefined) return 'stale';
    if (!budget.takeRequest()) return 'spent';
    if (read.problem !== undefined) return this.#refuse(inner, outer, { reason: 'Invalid', message: read.problem });
    if ((await innerWriter.current(inner)) === undefined || !(await isDefinitionUnchanged())) return 'stale';
    const result = await outerWriter.change(nameOf(inner), read.spec, shown);
    if (result.kind === 'refused') return this.#refuse(inner, outer, result);
    return this.#recordAccepted(
      inner,
      result,
      `updated from the NodePool in the cluster: ${changesBetween(stateOf(outer).spec, read.spec)}`,
    );
  }

  async #delete(inner: InClusterNodePool, outer: NodePool): Promise<PassResult> {
    const { innerWriter, outerWriter, budget, isDefinitionUnchanged, outerEvents } = this.#options;
    const shown = mergeBaseOf(inner);
    if (shown === undefined) return 'stale';
    if (!budget.takeRequest()) return 'spent';
    // The order matters: if an object exists after its definition was observed not to be deleted, it was not deleted
    // with it.
    if (!(await isDefinitionUnchanged()) || (await innerWriter.current(inner)) === undefined) return 'stale';
    const result = await outerWriter.delete(nameOf(inner), shown);
    if (result.kind === 'done')
      outerEvents.normal(outer, 'DeletedInCluster', 'deleted because the NodePool in the cluster was deleted');
    if (result.kind !== 'refused') return result.kind;
    return this.#refuse(inner, outer, result);
  }

  async #recordAccepted(
    inner: InClusterNodePool,
    result: Exclude<WriteResult, { kind: 'refused' }>,
    words: string,
  ): Promise<PassResult> {
    if (result.kind === 'stale' || result.pool === undefined) return result.kind;
    const { innerWriter, innerEvents, outerEvents } = this.#options;
    const { pool, warnings } = result;
    outerEvents.normal(pool, 'ChangedInCluster', words);
    innerEvents.normal(inner, 'Accepted', words);
    for (const warning of warnings) innerEvents.warning(inner, 'Warning', warning);
    const marked = await innerWriter.mark(inner, stateOf(pool));
    return marked === undefined ? 'stale' : this.#writeStatus(marked, pool, ACCEPTED_OUTCOME);
  }

  #conflict(inner: InClusterNodePool, outer: NodePool, conflict: 'changed' | 'exists'): Promise<PassResult> {
    const { budget } = this.#options;
    if (!budget.takeRequest()) return Promise.resolve('spent');
    const read = readSpec(inner);
    const { spec } = stateOf(outer);
    const isApplicable = read.problem === undefined && inner.metadata.deletionTimestamp === undefined;
    const changes = isApplicable ? `: ${changesBetween(spec, read.spec)}` : '';
    return this.#refuse(inner, outer, CONFLICT_MESSAGES[conflict](changes));
  }

  /** The rejected request is reported first: the process may be killed before it has reset the object. */
  async #refuse(
    inner: InClusterNodePool,
    outer: NodePool,
    { reason, message }: { readonly reason: string; readonly message: string },
  ): Promise<PassResult> {
    const { innerWriter, innerEvents } = this.#options;
    const { uid, generation, deletionTimestamp } = inner.metadata;
    await innerEvents.once(inner, 'Warning', {
      reason,
      message,
      id: `${uid}/${generation}/${deletionTimestamp ?? ''}`,
    });
    if (deletionTimestamp !== undefined) {
      await innerWriter.release(inner);
      return 'done';
    }
    const outcome = { isAccepted: false, reason, message };
    await this.#writeStatus(inner, outer, outcome);
    const back = await innerWriter.show(inner, stateOf(outer));
    if (back === undefined) return 'stale';
    return this.#writeStatus(back, outer, undefined);
  }

  /** There is no pool to reset the object from, so it is left unchanged and retried from time to time. */
  async #refuseNew(
    inner: InClusterNodePool,
    { reason, message }: { readonly reason: string; readonly message: string },
  ): Promise<PassResult> {
    const { innerEvents, refusals } = this.#options;
    const { uid, generation } = inner.metadata;
    await innerEvents.once(inner, 'Warning', { reason, message, id: `${uid}/${generation}/` });
    refusals.add(inner);
    await this.#writeStatus(inner, undefined, { isAccepted: false, reason, message });
    return 'refused';
  }

  async #writeStatus(
    inner: InClusterNodePool,
    outer: NodePool | undefined,
    outcome: RequestOutcome | undefined,
  ): Promise<PassResult> {
    const { innerWriter, budget, clock } = this.#options;
    const mark = outer && mergeBaseOf(inner);
    const shown = mark && mergeBaseText(mark, inner.metadata.uid);
    const status = innerStatus({ inner, outer, outcome, shown, nowMs: clock.now() });
    if (mergeDifference(inner.status ?? {}, status) === undefined) return 'done';
    if (!budget.takeWrite()) return 'spent';
    await innerWriter.writeStatus(inner, status);
    return 'done';
  }
}

const UNCHANGED_OUTCOME: RequestOutcome = { isAccepted: true, reason: 'AsExpected', message: '' };
const ACCEPTED_OUTCOME: RequestOutcome = {
  isAccepted: true,
  reason: 'Accepted',
  message: 'the change is being applied',
};

const CONFLICT_MESSAGES = {
  changed: (changes: string) => ({
    reason: 'ChangedElsewhere',
    message: `the pool was changed outside the cluster before this change was applied, so this change is rejected${changes}; review the pool and make the change again`,
  }),
  exists: (changes: string) => ({
    reason: 'PoolExists',
    message: `a pool with this name already exists and is left unchanged${changes}; edit this object, which now reflects it`,
  }),
} as const;

/** Whether the cache of pools may lack what this process, or an earlier one, has created since. */
function isOlder(outer: NodePool | undefined, inner: InClusterNodePool): boolean {
  const shown = mergeBaseOf(inner);
  if (shown === undefined) return false;
  if (outer === undefined) return true;
  const { identity, generation } = stateOf(outer);
  return identity === shown.identity && generation < shown.generation;
}

function isHeld({ metadata }: InClusterNodePool): boolean {
  return metadata.finalizers?.includes(IN_CLUSTER_FINALIZER) === true;
}

function markOf({ metadata }: InClusterNodePool): string | undefined {
  return metadata.annotations?.[SYNCED_STATE_ANNOTATION];
}
