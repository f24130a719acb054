/**
 * Sets missing fields. A client that uses Go's types sends "" for a string that it does not set, so "" counts as
 * missing too, as in upstream; 0 and false count as values.
 */
export function setDefaults<T extends object>(object: T, defaults: { readonly [K in keyof T]?: T[K] }): void {
  for (const name of Object.keys(defaults) as (keyof T)[]) {
    const value: unknown = object[name];
    if (value === undefined || value === null || value === '') object[name] = defaults[name] as T[keyof T];
  }
}
