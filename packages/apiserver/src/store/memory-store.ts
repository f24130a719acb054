import { Keyspace } from './keyspace.ts';

/** A store that forgets everything with its process. A write is "durable" at once. */
export class MemoryStore extends Keyspace {
  constructor(name = 'memory') {
    super(name, 0, (keyspace) => keyspace.commit());
  }
}
