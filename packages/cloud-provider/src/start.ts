import { declaredControllers, type StartOptions } from '@fairway/kube/controller/declaration';
import type { Runnable } from '@fairway/kube/controller/manager';
import { certificateApprovalController } from './certificates/controller.ts';
import type { CloudProviderDependencies, Declaration } from './dependencies.ts';
import { cloudNodeController } from './nodes/controller.ts';

/** What Kubernetes expects from a cloud, for all tenants' clusters in one process, in the order in which they start. */
export const CLOUD_PROVIDER: readonly Declaration[] = [cloudNodeController, certificateApprovalController];

/** Runnables for the manager that runs Fairway's controllers. */
export function createCloudProvider(options: CloudProviderDependencies & StartOptions): Runnable[] {
  return declaredControllers(CLOUD_PROVIDER, options, options);
}
