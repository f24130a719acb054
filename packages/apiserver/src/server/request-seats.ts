import type { RequestAttributes } from '../auth/user.ts';
import type { CompiledSchema } from '../flow-control/compile-schemas.ts';
import type { FlowControl } from '../flow-control/flow-control.ts';
import type { LeaveSeats } from '../flow-control/priority-level.ts';
import type { ApiRequest } from './request.ts';
import { requestTimeoutMs } from './request-timeout.ts';
import type { Traffic } from './traffic.ts';

/** A request with a known flow. */
export interface ClassifiedRequest {
  readonly request: ApiRequest;
  readonly attributes: RequestAttributes;
  /** Undefined for streams other than watches, which take no seats. */
  readonly schema: CompiledSchema | undefined;
  /** Watches and streams, whose number is limited separately. */
  readonly isLong: boolean;
}

/** Maximum share of a request's time limit that it may spend waiting for seats. */
const WAIT_FRACTION = 4;

/** Counts requests and assigns them seats. */
export class RequestSeats {
  readonly #traffic: Traffic;
  readonly #flowControl: FlowControl;

  constructor(traffic: Traffic, flowControl: FlowControl) {
    this.#traffic = traffic;
    this.#flowControl = flowControl;
  }

  /** Synchronous if there is room. Throws or rejects with 429. */
  enter({ request, attributes, schema, isLong }: ClassifiedRequest, seats: number): LeaveSeats | Promise<LeaveSeats> {
    if (schema === undefined) return () => undefined;
    const release = isLong ? undefined : this.#count(request, attributes);
    try {
      const entered = this.#flowControl.enter(schema, {
        attributes,
        seats,
        waitMs: requestTimeoutMs(request.query) / WAIT_FRACTION,
        signal: () => request.signal,
      });
      if (release === undefined) return entered;
      return entered instanceof Promise ? waitForSeats(entered, release) : both(entered, release);
    } catch (error) {
      release?.();
      throw error;
    }
  }

  #count({ method }: ApiRequest, { user }: RequestAttributes): LeaveSeats {
    const limited = method === 'GET' || method === 'HEAD' ? 'readingRequests' : 'mutatingRequests';
    return this.#traffic.enterRequest(limited, user, !this.#flowControl.isConfigurable);
  }
}

async function waitForSeats(entered: Promise<LeaveSeats>, release: LeaveSeats): Promise<LeaveSeats> {
  try {
    return both(await entered, release);
  } catch (error) {
    release();
    throw error;
  }
}

function both(first: LeaveSeats, second: LeaveSeats): LeaveSeats {
  return () => {
    first();
    second();
  };
}
