import type { ResourceQuota } from '@fairway/kube/kinds/generated/types';
import { addQuantities, type Quantity, subtractQuantities, ZERO } from '@fairway/kube/object/quantity';
import type { Entry, Store } from '../store/store.ts';
import { isInScope, usageOf } from './quota-usage.ts';

/** The usage of one kind in one namespace, for objects that match one set of scopes. */
interface Account {
  readonly quota: Pick<ResourceQuota, 'spec'>;
  readonly totals: Map<string, Quantity>;
}

const QUOTAS = 'resourcequotas';

/**
 * Counts quota usage. Objects are counted once, when a quota is first queried. Later changes update the counts in the
 * event-loop turn in which they become visible: a decision and its write in one turn see the exact usage.
 */
export class QuotaLedger {
  readonly #store: Pick<Store, 'list' | 'follow'>;
  /** By namespace, then by resource, then by scopes. */
  readonly #namespaces = new Map<string, Map<string, Map<string, Account>>>();
  readonly #unsubscribe: () => void;

  constructor(store: Pick<Store, 'list' | 'follow'>) {
    this.#store = store;
    this.#unsubscribe = store.follow((bucket, key, previous, updated) => this.#changed(bucket, key, previous, updated));
  }

  /** Current quota usage for the namespace's objects of one resource (`pods`, `deployments.apps`). */
  used({ metadata, spec }: ResourceQuota, resource: string): ReadonlyMap<string, Quantity> {
    const namespace = metadata.namespace ?? '';
    const scopes = JSON.stringify([spec.scopes, spec.scopeSelector]);
    const resources = this.#namespaces.get(namespace);
    const known = resources?.get(resource)?.get(scopes);
    if (known !== undefined) return known.totals;
    const account: Account = { quota: { spec }, totals: new Map() };
    for (const entry of this.#store.list(resource, `${namespace}/`)) count(account, resource, entry, addQuantities);
    const kept = resources ?? new Map<string, Map<string, Account>>();
    const accounts = kept.get(resource) ?? new Map<string, Account>();
    accounts.set(scopes, account);
    kept.set(resource, accounts);
    this.#namespaces.set(namespace, kept);
    return account.totals;
  }

  stop(): void {
    this.#unsubscribe();
    this.#namespaces.clear();
  }

  #changed(bucket: string, key: string, previous: Entry | undefined, updated: Entry | undefined): void {
    const namespace = key.slice(0, Math.max(0, key.indexOf('/')));
    const resources = this.#namespaces.get(namespace);
    if (resources === undefined) return;
    for (const account of resources.get(bucket)?.values() ?? []) {
      if (previous !== undefined) count(account, bucket, previous, subtractQuantities);
      if (updated !== undefined) count(account, bucket, updated, addQuantities);
    }
    // A quota's scopes never change, so accounts live as long as the quotas; usage shared with other quotas is
    // recounted on their next query.
    if (bucket === QUOTAS && updated === undefined) this.#namespaces.delete(namespace);
  }
}

function count(
  { quota, totals }: Account,
  resource: string,
  entry: Entry,
  apply: (left: Quantity, right: Quantity) => Quantity,
): void {
  const object = entry.object();
  if (!isInScope(quota, resource, object)) return;
  for (const [name, quantity] of usageOf(resource, object)) {
    totals.set(name, apply(totals.get(name) ?? { ...ZERO, format: quantity.format }, quantity));
  }
}
