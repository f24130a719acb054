import { Attempts } from '@fairway/kube/controller/attempts';
import { declaredControllers, type StartOptions } from '@fairway/kube/controller/declaration';
import type { Runnable } from '@fairway/kube/controller/manager';
import { classifyError } from '@fairway/tenancy/reconcile/failure';
import { certificateApprovalController } from './certificates/controller.ts';
import { type Conventions, FAIRWAY_CONVENTIONS } from './conventions.ts';
import type { CloudProviderDependencies, Declaration } from './dependencies.ts';
import { gatewayClassController } from './gateways/class-controller.ts';
import { gatewayController } from './gateways/controller.ts';
import { ingressController } from './ingresses/controller.ts';
import { loadBalancerController } from './load-balancers/controller.ts';
import { cloudNodeLifecycleController } from './node-lifecycle/controller.ts';
import { cloudNodeController } from './nodes/controller.ts';
import { cloudRouteController } from './routes/controller.ts';
import { shareController } from './shares/controller.ts';
import { TenantEvents } from './tenant-events.ts';
import { volumeAttachmentController } from './volume-attachments/controller.ts';
import { volumeSnapshotController } from './volume-snapshots/controller.ts';
import { volumeController } from './volumes/controller.ts';

/** The cloud provider's controllers, for all tenants' clusters in one process, in start order. */
export const CLOUD_PROVIDER_CONTROLLERS: readonly Declaration[] = [
  cloudNodeController,
  certificateApprovalController,
  cloudNodeLifecycleController,
  cloudRouteController,
  loadBalancerController,
  volumeController,
  volumeAttachmentController,
  volumeSnapshotController,
  shareController,
  ingressController,
  gatewayController,
  gatewayClassController,
];

/** Creates runnables for the manager that runs Fairway's controllers. */
export function createCloudProvider(
  options: Omit<CloudProviderDependencies, 'attempts' | 'events' | 'conventions'> & StartOptions,
  conventions: Conventions = FAIRWAY_CONVENTIONS,
): Runnable[] {
  const { clock, random } = options;
  const log = options.log.child({ component: 'controllers' });
  const attempts = new Attempts({ clock, random, log, classify: classifyError });
  const events = new TenantEvents({ component: 'cloud-node-controller', clock, random, log });
  return declaredControllers(CLOUD_PROVIDER_CONTROLLERS, { ...options, log, attempts, events, conventions }, options);
}
