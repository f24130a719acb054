import { HibernationPanel } from './hibernation-panel.tsx';
import { MaintenancePanel } from './maintenance-panel.tsx';
import type { TabProps } from './tab.ts';

/** The hibernation schedule and the maintenance window. */
export function ScheduleTab({ cluster }: TabProps) {
  return (
    <div className="fw-overview">
      <HibernationPanel key={`rest ${cluster.metadata.uid}`} cluster={cluster} />
      <MaintenancePanel key={`window ${cluster.metadata.uid}`} cluster={cluster} />
    </div>
  );
}
