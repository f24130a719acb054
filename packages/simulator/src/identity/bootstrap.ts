import type { World } from '../world.ts';
import type { Project, User } from './records.ts';

/** Creates the configured projects and users in an empty cloud. */
export function bootstrapIdentity(world: World): void {
  const { tables, ids, config } = world;
  tables.secrets.put({ id: 'token-key', value: ids.secret(64) });
  const password = config.password ?? ids.secret(24);
  tables.secrets.put({ id: 'password', value: password });
  for (const entry of config.entries) {
    const project = ensureProject(world, entry.project);
    const user = ensureUser(world, entry.user, password);
    tables.assignments.put({
      id: ids.hex(),
      userId: user.id,
      role: entry.role,
      target: { kind: 'project', projectId: project.id },
    });
    if (entry.role === 'service') {
      tables.assignments.put({ id: ids.hex(), userId: user.id, role: 'reader', target: { kind: 'system' } });
    }
    if (entry.role === 'admin') {
      tables.assignments.put({ id: ids.hex(), userId: user.id, role: 'admin', target: { kind: 'domain' } });
      tables.assignments.put({ id: ids.hex(), userId: user.id, role: 'admin', target: { kind: 'system' } });
    }
  }
}

function ensureProject({ tables, ids }: World, name: string): Project {
  const known = tables.projects.find((project) => project.name === name);
  return known ?? tables.projects.put({ id: ids.hex(), name, description: '', enabled: true, tags: [] });
}

function ensureUser({ tables, ids }: World, name: string, password: string): User {
  const known = tables.users.find((user) => user.name === name);
  return known ?? tables.users.put({ id: ids.hex(), name, password, enabled: true, description: '' });
}
