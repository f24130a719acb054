import type { LastOperation } from '@fairway/api/kinds/status';
import { formatTime } from '@fairway/base/clock';

/** `lastOperation` with its time moved only when something else of it changed. */
export function operation(
  previous: LastOperation | undefined,
  next: Omit<LastOperation, 'lastUpdateTime'>,
  nowMs: number,
): LastOperation {
  const isSame =
    previous?.type === next.type &&
    previous.state === next.state &&
    previous.progress === next.progress &&
    previous.description === next.description;
  return isSame ? previous : { ...next, lastUpdateTime: formatTime(nowMs) };
}
