import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Identity } from '@fairway/openstack/identity/identity';

/** Existing projects, as Keystone reports them. */
export type ProjectReader = Pick<Identity, 'allProjects' | 'project'>;

/** All projects visible to a reader, and the reader itself for looking up single projects. */
export interface ProjectList {
  readonly ids: ReadonlySet<string>;
  readonly reader: ProjectReader;
}

/**
 * Lists projects with the first reader that has permission; undefined if no reader has. Rejects if Keystone is
 * unavailable.
 */
export async function listProjects(readers: readonly ProjectReader[]): Promise<ProjectList | undefined> {
  for (const reader of readers) {
    try {
      const projects = await reader.allProjects({ priority: 'background' });
      return { ids: new Set(projects.map(({ id }) => id)), reader };
    } catch (error) {
      if (!isOpenStackError(error, 'forbidden') && !isOpenStackError(error, 'unauthorized')) throw error;
    }
  }
  return undefined;
}

/** Whether Keystone confirms that the project does not exist: a list may be limited to one domain, or truncated. */
export async function isProjectDeleted({ reader }: ProjectList, id: string): Promise<boolean> {
  try {
    await reader.project(id, { priority: 'background' });
    return false;
  } catch (error) {
    if (isOpenStackError(error, 'notFound')) return error.status === 404;
    if (isOpenStackError(error, 'forbidden')) return false;
    throw error;
  }
}
