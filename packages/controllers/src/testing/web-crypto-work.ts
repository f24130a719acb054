/**
 * How many operations of WebCrypto are under way in this thread. Each is done by a pool of threads of the process, whose
 * results may come any number of turns of the event loop later, and nothing in Node tells of them.
 */
export function webCryptoWorkUnderWay(): number {
  return underWay;
}

let underWay = 0;

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

// Keys and certificates are made by libraries that reach for the global, so it is counted there.
const prototype: object = Object.getPrototypeOf(crypto.subtle);
for (const operation of OPERATIONS) {
  const original: unknown = Reflect.get(prototype, operation);
  if (typeof original !== 'function') throw new Error(`this Node has no crypto.subtle.${operation}`);
  Reflect.set(prototype, operation, function counted(this: unknown, ...args: unknown[]): Promise<unknown> {
    underWay++;
    const work: Promise<unknown> = Reflect.apply(original, this, args);
    const ended = () => {
      underWay--;
    };
    work.then(ended, ended);
    return work;
  });
}
