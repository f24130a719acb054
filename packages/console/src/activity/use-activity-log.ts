import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { type Activity, ActivityLog } from './activity-log.ts';
import type { Filters } from './filters.ts';

export interface ReadActivity {
  readonly activity: Activity;
  readonly refresh: () => void;
  readonly older: () => void;
}

/** The audit events of a list; different filters start a new list. */
export function useActivityLog(path: string, { user, verb, object, since, isUnsuccessful }: Filters): ReadActivity {
  const log = useMemo(
    () => new ActivityLog({ path, filters: { user, verb, object, since, isUnsuccessful } }),
    [path, user, verb, object, since, isUnsuccessful],
  );
  useEffect(() => {
    void log.refresh();
    return () => log.stop();
  }, [log]);
  const activity = useSyncExternalStore(log.subscribe, log.get);
  return { activity, refresh: () => void log.refresh(), older: () => void log.loadOlder() };
}
