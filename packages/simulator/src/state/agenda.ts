import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Database } from './database.ts';
import type { Row, Table } from './table.ts';

/** A row with pending work that is due at a time on the cloud's clock. */
interface AgendaRow extends Row {
  readonly pending: { readonly dueMs: number } | null;
}

/** Delay before the next attempt if a step could not be saved. */
const RETRY_MS = 1000;

/**
 * Runs the pending work of one table's rows when it is due, each in a transaction. `run` must clear or replace
 * `pending`. A row whose pending work has been replaced or cleared is skipped.
 */
export class Agenda<R extends AgendaRow> {
  readonly #context: { readonly clock: Clock; readonly database: Database; readonly log: Logger };
  readonly #table: Table<R>;
  readonly #run: (row: R) => void;
  readonly #timers = new Map<string, Timer>();
  #isClosed = false;

  constructor(
    host: { readonly clock: Clock; readonly database: Database; readonly log: Logger },
    table: Table<R>,
    run: (row: R) => void,
  ) {
    this.#context = host;
    this.#table = table;
    this.#run = run;
  }

  /** Resumes the work that is pending in the saved or restored state. */
  resume(): void {
    this.#cancelAll();
    for (const row of this.#table.values()) this.#arm(row);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelAll();
  }

  /** Stores a row, and schedules its pending work once the transaction has committed. */
  put(row: R): R {
    this.#table.put(row);
    this.#context.database.afterCommit(() => this.#arm(row));
    return row;
  }

  #cancelAll(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #arm({ id, pending }: R): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    if (pending !== null && !this.#isClosed) this.#wait(id, pending.dueMs, pending.dueMs);
  }

  #wait(id: string, dueMs: number, atMs: number): void {
    const { clock, database, log } = this.#context;
    const timer = clock.after(Math.max(atMs - clock.now(), 0), () => {
      this.#timers.delete(id);
      try {
        database.transact(() => {
          const row = this.#table.get(id);
          if (row?.pending?.dueMs === dueMs) this.#run(row);
        });
      } catch (error) {
        log.error({ err: error, table: this.#table.name, id }, 'a pending step in the simulated cloud failed');
        this.#wait(id, dueMs, clock.now() + RETRY_MS);
      }
    });
    this.#timers.set(id, timer);
  }
}
