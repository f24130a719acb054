/**
 * How many WebCrypto operations are in progress in this thread. Each runs in a thread pool of the process; its result
 * may arrive any number of event loop turns later, and Node has no way to report pending ones.
 */
export function webCryptoWorkInProgress(): number {
  return operationsInProgress;
}

let operationsInProgress = 0;

const OPERATIONS = [
  'decrypt',
  'deriveBits',
  'deriveKey',
  'digest',
  'encrypt',
  'exportKey',
  'generateKey',
  'importKey',
  'sign',
  'unwrapKey',
  'verify',
  'wrapKey',
] as const;

// Libraries create keys and certificates through the global, so it is counted there.
const prototype: object = Object.getPrototypeOf(crypto.subtle);
for (const operation of OPERATIONS) {
  const original: unknown = Reflect.get(prototype, operation);
  if (typeof original !== 'function') throw new Error(`this Node has no crypto.subtle.${operation}`);
  Reflect.set(prototype, operation, function counted(this: unknown, ...args: unknown[]): Promise<unknown> {
    operationsInProgress++;
    const work: Promise<unknown> = Reflect.apply(original, this, args);
    const ended = () => {
      operationsInProgress--;
    };
    work.then(ended, ended);
    return work;
  });
}
