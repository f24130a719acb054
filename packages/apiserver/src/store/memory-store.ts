import { Keyspace } from './keyspace.ts';

/** An in-memory store. Writes count as durable immediately. */
export class MemoryStore extends Keyspace {
  constructor(name = 'memory') {
    super(name, 0, (keyspace) => keyspace.commit());
  }
}
