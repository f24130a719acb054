/** Maximum that Nova's drivers read of a console. */
const MAX_BYTES = 102_400;
const MAX_CONSOLES = 1_000;

/** Output of guests on their serial consoles, after the common boot messages. */
export class Consoles {
  readonly #written = new Map<string, string>();

  write(serverId: string, text: string): void {
    const before = this.#written.get(serverId) ?? '';
    this.#written.delete(serverId);
    this.#written.set(serverId, (before + text).slice(-MAX_BYTES));
    const [oldest] = this.#written.keys();
    if (this.#written.size > MAX_CONSOLES && oldest !== undefined) this.#written.delete(oldest);
  }

  read(serverId: string): string {
    return this.#written.get(serverId) ?? '';
  }
}
