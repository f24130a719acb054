import { formatTime } from '@fairway/base/clock';
import type { Pod, PodStatus } from '@fairway/kube/kinds/generated/types';
import { containerId, imageIdOf } from './container-ids.ts';
import { isMissing } from './images.ts';
import { missingImage, type PodPlacement } from './pod-snapshots.ts';

/** Statuses of containers added by `kubectl debug`. They run forever once they are first seen. */
export function ephemeralStatuses(pod: Pod, { nowMs }: PodPlacement): Pick<PodStatus, 'ephemeralContainerStatuses'> {
  const { ephemeralContainers = [] } = pod.spec;
  if (ephemeralContainers.length === 0) return {};
  const known = new Map(pod.status?.ephemeralContainerStatuses?.map((status) => [status.name, status]));
  return {
    ephemeralContainerStatuses: ephemeralContainers.map(({ name, image = '' }) => {
      const before = known.get(name);
      if (before !== undefined) return before;
      const obstacle = isMissing(image) ? missingImage(image) : undefined;
      return {
        name,
        image,
        imageID: obstacle === undefined ? imageIdOf(image) : '',
        ...(obstacle === undefined && { containerID: containerId(pod, name, 0) }),
        restartCount: 0,
        ready: false,
        state: obstacle === undefined ? { running: { startedAt: formatTime(nowMs) } } : { waiting: obstacle },
        lastState: {},
      };
    }),
  };
}
