import { HibernationPanel } from './hibernation-panel.tsx';
import { MaintenancePanel } from './maintenance-panel.tsx';
import type { TabProps } from './tab.ts';

/** When the cluster rests, and when what is not urgent is done. */
export function ScheduleTab({ cluster }: TabProps) {
  return (
    <div className="fw-overview">
      <HibernationPanel key={`rest ${cluster.metadata.uid}`} cluster={cluster} />
      <MaintenancePanel key={`window ${cluster.metadata.uid}`} cluster={cluster} />
    </div>
  );
}
