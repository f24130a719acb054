import { Address4 } from 'ip-address';

/**
 * Allocates the addresses of a node's pods from its pod CIDR. The first is reserved for the node's bridge, as with most CNIs; the
 * network and broadcast addresses are never used.
 */
export class PodAddresses {
  readonly #first: bigint;
  readonly #count: number;
  readonly #owners = new Map<string, string>();
  #next = 0;

  /** Throws unless it is an IPv4 range of at least eight addresses. */
  constructor(cidr: string) {
    const range = new Address4(cidr);
    this.#first = range.startAddress().bigInt() + 2n;
    this.#count = Number(range.endAddress().bigInt() - range.startAddress().bigInt()) - 2;
    if (this.#count < 5) throw new RangeError(`pod CIDR ${cidr} is too small`);
  }

  /** The pod's address: its previous one if still free, otherwise the next free one; undefined if none is left. */
  assign(uid: string, preferred?: string): string | undefined {
    if (preferred !== undefined && this.#holds(preferred) && (this.#owners.get(preferred) ?? uid) === uid) {
      this.#owners.set(preferred, uid);
      return preferred;
    }
    for (let tried = 0; tried < this.#count; tried++) {
      const address = Address4.fromBigInt(this.#first + BigInt(this.#next)).address;
      this.#next = (this.#next + 1) % this.#count;
      if (this.#owners.has(address)) continue;
      this.#owners.set(address, uid);
      return address;
    }
    return undefined;
  }

  release(address: string): void {
    this.#owners.delete(address);
  }

  #holds(address: string): boolean {
    if (!Address4.isValid(address)) return false;
    const offset = new Address4(address).bigInt() - this.#first;
    return offset >= 0n && offset < BigInt(this.#count);
  }
}
