/** Thrown while a create with unknown outcome may still take effect. */
export class StillSettling extends Error {
  override readonly name = 'StillSettling';
  readonly untilMs: number;

  constructor(what: string, untilMs: number) {
    super(`the cloud did not confirm whether it created the ${what}; checking before a retry`);
    this.untilMs = untilMs;
  }
}
