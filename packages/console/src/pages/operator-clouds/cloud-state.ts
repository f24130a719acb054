import { type CloudPace, failuresOf } from './cloud-pace.ts';
import type { CloudReading } from './cloud-reading.ts';

export type CloudState = 'ready' | 'attention' | 'waiting' | 'progress';

/** One call in twenty may fail: Fairway retries it. */
const TOLERATED_FAILURE_SHARE = 0.05;

/** The state of a cloud, by its recent calls and current lists. */
export function cloudState(
  { waiting, lists }: Pick<CloudReading, 'waiting' | 'lists'>,
  pace: Pick<CloudPace, 'calls' | 'total'> | undefined,
): CloudState {
  if (lists.some(({ failing }) => failing > 0)) return 'attention';
  if (pace === undefined) return 'progress';
  if (failuresOf(pace) > pace.total * TOLERATED_FAILURE_SHARE) return 'attention';
  return waiting > 0 ? 'waiting' : 'ready';
}
