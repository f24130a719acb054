import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics about the control planes that this process manages; each is managed by exactly one process. */
export function addControlPlaneMetrics(registry: Registry, runtime: ControlPlaneRuntime): void {
  const { name } = runtime;
  const planes = new Gauge({
    name: 'fairway_control_planes',
    help: 'Control planes managed by this process, by runtime and whether all their components are running.',
    labelNames: ['runtime', 'state'],
    registers: [],
    collect() {
      const { running, managed } = runtime.usage();
      this.set({ runtime: name, state: 'running' }, running);
      this.set({ runtime: name, state: 'stopped' }, managed - running);
    },
  });
  const memory = new Gauge({
    name: 'fairway_control_plane_memory_bytes',
    help: 'Memory of all control planes managed by this process, excluding mapped files, by runtime; unknown for in-process control planes.',
    labelNames: ['runtime'],
    registers: [],
    collect() {
      const { memoryBytes } = runtime.usage();
      if (memoryBytes !== undefined) this.set({ runtime: name }, memoryBytes);
    },
  });
  const failures = new Counter({
    name: 'fairway_control_plane_restarts_total',
    help: 'Restarts of control-plane components that exited or were killed, by runtime.',
    labelNames: ['runtime'],
    registers: [],
    collect() {
      this.reset();
      this.inc({ runtime: name }, runtime.usage().restarts);
    },
  });
  const lost = new Counter({
    name: 'fairway_control_plane_audit_events_lost_total',
    help: 'Audit events lost because they could not be written for too long, by runtime; unknown for API servers in separate processes.',
    labelNames: ['runtime'],
    registers: [],
    collect() {
      const { auditEventsLost } = runtime.usage();
      this.reset();
      if (auditEventsLost !== undefined) this.inc({ runtime: name }, auditEventsLost);
    },
  });
  registry.registerMetric(lost);
  for (const metric of [planes, memory]) registry.registerMetric(metric);
  registry.registerMetric(failures);
}
