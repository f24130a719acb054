import { pluralize } from '@fairway/api/domain/pluralize';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { Decision } from './decision.ts';

/** The maximum number of pods that Events are recorded for at a time; the pools' Events include the total. */
const MAX_PODS = 30;

/**
 * Records Events for the pools' owner about what was done and what was not: the latter once for each cause.
 */
export function recordPoolEvents(events: EventRecorder, decision: Decision): void {
  for (const { pool, status } of decision.pools) {
    const known = pool.status?.autoscaling;
    const isNew = known?.reason !== status.reason || known.message !== status.message;
    if (isNew && status.reason === 'ScaledUp') events.normal(pool, 'ScaledUp', `Scaled up ${status.message}`);
    if (isNew && status.reason === 'ScaledDown') events.normal(pool, 'ScaledDown', `Scaled down ${status.message}`);
    const { backoff, hindrance } = status;
    if (backoff && backoff.since !== known?.backoff?.since) {
      events.warning(
        pool,
        'ScaleUpFailed',
        `Failed to create new nodes; next attempt at ${backoff.until}: ${backoff.message}`,
      );
    }
    if (hindrance && hindrance.message !== known?.hindrance?.message) {
      events.warning(pool, 'NotScaledUp', `Not scaled up: ${hindrance.message}`);
    }
  }
}

/**
 * Records Events on the tenant's pods about why they are pending, as cluster-autoscaler does: once for each pod and
 * cause.
 */
export class PodEvents {
  /** The last report on each pod, by its UID. */
  #recordedEvents = new Map<string, string>();

  record(events: EventRecorder, { poolScaleUps, unschedulable }: Decision): void {
    const recorded = new Map<string, string>();
    let left = MAX_PODS;
    const reportPod = (pod: Pod, record: () => void, text: string) => {
      const uid = pod.metadata.uid ?? '';
      const isKnown = this.#recordedEvents.get(uid) === text;
      if (!isKnown && left <= 0) return;
      recorded.set(uid, text);
      if (isKnown) return;
      left--;
      record();
    };
    for (const { pool, from, to, pods } of poolScaleUps) {
      const text = `pod triggered scale-up: pool ${pool} from ${from} to ${pluralize(to, 'node')}`;
      for (const pod of pods) reportPod(pod, () => events.normal(asObject(pod), 'TriggeredScaleUp', text), text);
    }
    for (const { pods, reasons } of unschedulable) {
      const text = `pod didn't trigger scale-up: ${reasons.map(({ pool, problem }) => `${pool}: ${problem.message}`).join('; ')}`;
      for (const pod of pods) reportPod(pod, () => events.normal(asObject(pod), 'NotTriggerScaleUp', text), text);
    }
    this.#recordedEvents = recorded;
  }
}

/** Cached objects have no kind. */
function asObject({ metadata }: Pod): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata };
}
