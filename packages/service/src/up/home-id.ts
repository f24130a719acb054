import { randomBytes } from 'node:crypto';
import type { Home } from './home.ts';

/** Identifies a home, even if it is moved: 32 hexadecimal digits. */
export function homeId(home: Home): string {
  return home.readOrCreate(home.id, () => randomBytes(16).toString('hex'));
}
