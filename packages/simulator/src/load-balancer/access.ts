import { type Access, canSee, canWrite, isAdmin } from '../identity/access.ts';
import { forbidden } from './problem.ts';

/** Octavia returns 403, not 404, for an object of another project. */
export function requireRead(access: Access, projectId: string): void {
  if (access.roles.length === 0 || !canSee(access, projectId)) throw forbidden();
}

export function requireWrite(access: Access, projectId: string): void {
  if (!canWrite(access) || !canSee(access, projectId)) throw forbidden();
}

export function requireAdmin(access: Access): void {
  if (!isAdmin(access)) throw forbidden();
}
