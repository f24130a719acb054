import { type HttpTransport, TransportError } from '@fairway/openstack/http/transport';
import type { TestFairwayOptions } from './test-fairway.ts';
import type { ChooseApiFault } from './unreliable-api.ts';

/** Kills a process between two requests: its last request is executed, but it never receives the response. */
export class Crash {
  readonly #counted: RegExp;
  #writesLeft = Number.POSITIVE_INFINITY;
  #callsLeft = Number.POSITIVE_INFINITY;
  #isDead = false;
  #onDeath: () => void = () => undefined;

  /**
   * `counted`: paths of Fairway's own API and tenants' APIs whose writes are counted, and of the cloud whose calls are
   * counted.
   */
  constructor(counted: RegExp) {
    this.#counted = counted;
  }

  get options(): Pick<TestFairwayOptions, 'apiFaults' | 'tenantFaults' | 'cloudTransport'> {
    const choose: ChooseApiFault = ({ method, path }) => {
      if (this.#isDead) return { kind: 'breaksBefore' };
      if (method === 'GET' || !this.#counted.test(path) || --this.#writesLeft > 0) return undefined;
      this.#isDead = true;
      this.#onDeath();
      return { kind: 'breaksAfter' };
    };
    return { apiFaults: choose, tenantFaults: choose, cloudTransport: (transport) => this.#killable(transport) };
  }

  #killable(transport: HttpTransport): HttpTransport {
    return {
      send: async (request, signal) => {
        if (this.#isDead) throw new TransportError('the process is dead', { mayHaveArrived: false });
        const isLast = this.#counted.test(request.url) && --this.#callsLeft <= 0;
        if (isLast) this.#isDead = true;
        const response = await transport.send(request, signal);
        if (!isLast) return response;
        this.#onDeath();
        throw new TransportError('the process is dead', { mayHaveArrived: true });
      },
      close: () => transport.close(),
    };
  }

  /** Kills the process after the cloud has executed this call. */
  afterCalls(count: number, onDeath: () => void = () => undefined): void {
    this.#callsLeft = count;
    this.#onDeath = onDeath;
  }

  afterWrites(count: number, onDeath: () => void): void {
    this.#writesLeft = count;
    this.#onDeath = onDeath;
  }

  get hasOccurred(): boolean {
    return this.#isDead;
  }

  /** Lets another process take over: requests succeed again from now on. */
  end(): void {
    this.#isDead = false;
    this.#writesLeft = Number.POSITIVE_INFINITY;
    this.#callsLeft = Number.POSITIVE_INFINITY;
  }
}
