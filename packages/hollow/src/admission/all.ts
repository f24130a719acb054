import type { Authorizer } from '@fairway/apiserver/auth/user';
import type { WebhookCaller } from '@fairway/apiserver/outbound/webhook-caller';
import { resourceQuotaAdmission } from '@fairway/apiserver/quota/quota-admission';
import type { QuotaLedger } from '@fairway/apiserver/quota/quota-ledger';
import type { AdmissionPlugin } from '@fairway/apiserver/server/admission';
import type { Store } from '@fairway/apiserver/store/store';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { limitRanger } from './limit-ranger.ts';
import { mutatingPolicies } from './mutating-policies.ts';
import { PendingWrites } from './pending-writes.ts';
import { alwaysPullImages, defaultTolerationSeconds, priorityAdmission, taintNodesByCondition } from './pods.ts';
import { runtimeClassAdmission } from './runtime-class.ts';
import { serviceAccountAdmission } from './service-account.ts';
import { serviceAllocator } from './service-allocator.ts';
import { defaultStorageClass, storageObjectInUseProtection } from './storage.ts';
import { validatingPolicies } from './validating-policies.ts';
import { mutatingWebhooks } from './webhooks/mutating-webhooks.ts';
import { validatingWebhooks } from './webhooks/validating-webhooks.ts';

export interface HollowAdmissionOptions {
  readonly reader: () => ObjectReader;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly store: Pick<Store, 'subscribe'>;
  readonly ledger: QuotaLedger;
  readonly serviceCidr: string;
  /** Calls webhooks. */
  readonly caller: WebhookCaller;
  /** Checks user permissions for expressions in policies and conditions. */
  readonly authorizer: Authorizer;
  /** Plugins to enable in addition to the Kubernetes defaults, and plugins that are always disabled. */
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

export interface HollowAdmission {
  readonly plugins: readonly AdmissionPlugin[];
  stop(): void;
}

/**
 * The built-in admission plugins, in kube-apiserver's order; the plugins of `createAuth` run before the last of them.
 */
export function hollowAdmission(options: HollowAdmissionOptions, auth: readonly AdmissionPlugin[]): HollowAdmission {
  const { reader, clock, log, random, store, ledger, serviceCidr, caller, authorizer, enabled, disabled } = options;
  const calls = { caller, clock, log, authorizer };
  const numbers = new PendingWrites<readonly string[]>(store, clock);
  const isEnabled = (name: string) => enabled.includes(name) && !disabled.includes(name);
  const plugins = [
    ...(isEnabled(alwaysPullImages.name) ? [alwaysPullImages] : []),
    limitRanger(reader),
    serviceAccountAdmission(reader, random),
    taintNodesByCondition,
    priorityAdmission(reader),
    defaultTolerationSeconds,
    defaultStorageClass(reader),
    storageObjectInUseProtection,
    runtimeClassAdmission(reader),
    mutatingPolicies(reader, authorizer),
    mutatingWebhooks(reader, calls),
    serviceAllocator({ reader, random, serviceCidr, pending: numbers }),
    validatingPolicies(reader, authorizer),
    validatingWebhooks(reader, calls),
    ...auth,
    resourceQuotaAdmission(reader, ledger),
  ];
  return {
    plugins,
    stop() {
      numbers.stop();
    },
  };
}
