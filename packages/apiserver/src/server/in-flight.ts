import { tooManyRequests } from '@fairway/kube/object/api-error';

/** Upstream's defaults. */
const MAX_READONLY = 400;
const MAX_MUTATING = 200;

/** Bounds how many requests are worked on at a time; watches and administrators are not counted. */
export class InFlight {
  #readonly = 0;
  #mutating = 0;

  /** Returns how to leave again; throws 429 when there is no place. */
  enter(method: string): () => void {
    if (method === 'GET' || method === 'HEAD') {
      if (this.#readonly >= MAX_READONLY) throw busy();
      this.#readonly++;
      return () => this.#readonly--;
    }
    if (this.#mutating >= MAX_MUTATING) throw busy();
    this.#mutating++;
    return () => this.#mutating--;
  }
}

function busy() {
  return tooManyRequests('Too many requests, please try again later.', 1);
}
