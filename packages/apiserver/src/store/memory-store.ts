import { Keyspace } from './keyspace.ts';

/** An in-memory store. A write counts as durable at once. */
export class MemoryStore extends Keyspace {
  constructor(name = 'memory') {
    super(name, 0, (keyspace) => keyspace.commit());
  }
}
