/** The maximum amount that Nova's drivers read from a console log. */
const MAX_BYTES = 102_400;
const MAX_CONSOLES = 1_000;

/** Output of guests on their serial consoles, after the common boot messages. */
export class Consoles {
  readonly #output = new Map<string, string>();

  write(serverId: string, text: string): void {
    const before = this.#output.get(serverId) ?? '';
    this.#output.delete(serverId);
    this.#output.set(serverId, (before + text).slice(-MAX_BYTES));
    const [oldest] = this.#output.keys();
    if (this.#output.size > MAX_CONSOLES && oldest !== undefined) this.#output.delete(oldest);
  }

  read(serverId: string): string {
    return this.#output.get(serverId) ?? '';
  }
}
