import { randomBytes } from 'node:crypto';
import type { Home } from './home.ts';

/** Identifies a home, wherever it is moved to: 32 hexadecimal digits. */
export function homeId(home: Home): string {
  return home.readOrMake(home.id, () => randomBytes(16).toString('hex'));
}
