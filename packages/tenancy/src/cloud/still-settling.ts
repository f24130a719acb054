/** Thrown while a create without an answer may still come true. */
export class StillSettling extends Error {
  override readonly name = 'StillSettling';
  readonly untilMs: number;

  constructor(what: string, untilMs: number) {
    super(`the cloud did not answer whether it made the ${what}; looking again before trying again`);
    this.untilMs = untilMs;
  }
}
