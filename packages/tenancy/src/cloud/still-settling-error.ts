/** Thrown while a create with an unknown outcome may still take effect. */
export class StillSettlingError extends Error {
  override readonly name = 'StillSettling';
  readonly untilMs: number;

  constructor(object: string, untilMs: number) {
    super(`the cloud did not confirm whether it created the ${object}; checking before a retry`);
    this.untilMs = untilMs;
  }
}
