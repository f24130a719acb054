import { formatMicroTime } from '@fairway/base/clock';
import type { ResourceClient } from '../client/resource-client.ts';
import type { Lease } from '../kinds/generated/types.ts';
import { isApiError } from '../object/api-error.ts';
import type { ObjectMeta } from '../object/meta.ts';
import type { ShardLeases } from './shard-leases.ts';

export interface MemberLeaseOptions {
  readonly leases: ResourceClient<Lease>;
  readonly names: ShardLeases;
  readonly namespace: string;
  readonly identity: string;
  readonly durationMs: number;
  /** Data for the other members; undefined if there is none. */
  readonly gossip?: (() => string | undefined) | undefined;
}

const GOSSIP_ANNOTATION = 'fairway.dev/news';
/** An API server rejects objects with more than 256 KiB of annotations, and a rejected renewal loses all shards. */
const MAX_GOSSIP_BYTES = 64 * 1024;

/** The data that a member publishes in its Lease. */
export function gossipOf({ metadata }: Lease): string | undefined {
  return metadata.annotations?.[GOSSIP_ANNOTATION];
}

/** The Lease that a member renews while it is alive. */
export class MemberLease {
  readonly #options: MemberLeaseOptions;
  #known: Lease | undefined;

  constructor(options: MemberLeaseOptions) {
    this.#options = options;
  }

  /** Whether the Lease has ever been written. */
  get exists(): boolean {
    return this.#known !== undefined;
  }

  /** Creates or renews the Lease. Rejects if the outcome is unknown. */
  async renew(nowMs: number, signal: AbortSignal): Promise<void> {
    const { leases, names, namespace, identity, durationMs } = this.#options;
    const known = this.#known;
    const { name = '' } = names.memberMetadata(identity);
    const metadata = this.#withGossip(known?.metadata ?? names.memberMetadata(identity));
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      acquireTime: known?.spec?.acquireTime ?? formatMicroTime(nowMs),
      renewTime: formatMicroTime(nowMs),
    };
    try {
      this.#known = known
        ? await leases.update({ ...known, metadata, spec }, { signal })
        : await leases.create({ metadata, spec }, { signal });
    } catch (error) {
      if (isApiError(error, 'NotFound', 'Conflict')) this.#known = undefined;
      if (isApiError(error, 'AlreadyExists')) this.#known = await leases.get(name, { namespace });
      throw error;
    }
  }

  #withGossip(metadata: ObjectMeta): ObjectMeta {
    const { [GOSSIP_ANNOTATION]: _, ...others } = metadata.annotations ?? {};
    const payload = this.#options.gossip?.();
    const hasPayload = payload !== undefined && Buffer.byteLength(payload) <= MAX_GOSSIP_BYTES;
    return { ...metadata, annotations: { ...others, ...(hasPayload && { [GOSSIP_ANNOTATION]: payload }) } };
  }

  async remove(): Promise<void> {
    const { leases, namespace } = this.#options;
    if (this.#known) await leases.delete(this.#known.metadata.name ?? '', { namespace });
  }
}
