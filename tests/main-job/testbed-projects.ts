import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { ServiceApi } from '@fairway/openstack/service-api';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { z } from 'zod';

const CreatedObject = z.object({ id: z.string() });
const RoleList = z.object({ roles: z.array(CreatedObject.extend({ name: z.string() })) });

/** Entries in a test's own clouds.yaml; their names are also the user names. */
export interface TestProjectEntries {
  readonly cloudsYaml: string;
  readonly member: string;
  readonly reader: string;
  readonly other: string;
  close(): Promise<void>;
}

/** Two projects with users for one test only, so that concurrent tests do not count each other's resources. */
export async function createTestProjects(cloudsYaml: string, adminEntry: string): Promise<TestProjectEntries> {
  const cloudOptions = { clock: systemClock, random: Math.random, log: silentLogger };
  const cloud = openCloud(readCloudsYaml(cloudsYaml), adminEntry, cloudOptions);
  const admin = cloud.client();
  const api = new ServiceApi(admin.session, 'identity');
  const password = randomBytes(12).toString('hex');
  const run = `fairway-test-${randomBytes(4).toString('hex')}`;
  const folder = await mkdtemp(join(tmpdir(), 'fairway-clouds-'));
  const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true })];
  const { roles } = await api.get(RoleList, '/roles');
  const roleId = (name: string) => roles.find((role) => role.name === name)?.id ?? '';

  async function create(kind: 'project' | 'user', fields: object): Promise<string> {
    const envelope = z.object({ [kind]: CreatedObject });
    const response = await api.post(envelope, `/${kind}s`, { body: { [kind]: { domain_id: 'default', ...fields } } });
    const id = response[kind]?.id ?? '';
    cleanups.push(() => api.send('DELETE', `/${kind}s/{id}`, { params: { id } }));
    return id;
  }

  async function createProject(name: string): Promise<string> {
    const id = await create('project', { name });
    // Neutron creates one in every project that it sees, and only the administrator may delete it.
    cleanups.push(async () => {
      const { securityGroups } = admin.network;
      for await (const group of securityGroups.list({ project_id: id })) await securityGroups.delete(group.id);
    });
    return id;
  }

  async function createUser(name: string, projectId: string, ...names: readonly string[]): Promise<void> {
    const userId = await create('user', { name, password });
    for (const role of names) {
      const params = { project_id: projectId, user_id: userId, role_id: roleId(role) };
      await api.send('PUT', '/projects/{project_id}/users/{user_id}/roles/{role_id}', { params });
    }
  }

  const [own, foreign] = [await createProject(run), await createProject(`${run}-other`)];
  const entries = { member: run, reader: `${run}-reader`, other: `${run}-other` };
  // Zed's Barbican requires its own role.
  await createUser(entries.member, own, 'member', 'creator');
  await createUser(entries.reader, own, 'reader');
  await createUser(entries.other, foreign, 'member');

  const { authUrl, region = '' } = cloud.config;
  const entry = (name: string, project: string) =>
    [
      `  ${name}:`,
      `    auth: { auth_url: "${authUrl}", username: ${name}, password: "${password}", project_name: ${project},`,
      '            user_domain_id: default, project_domain_id: default }',
      `    region_name: ${region}`,
      '',
    ].join('\n');
  const path = join(folder, 'clouds.yaml');
  const texts = [entry(entries.member, run), entry(entries.reader, run), entry(entries.other, entries.other)];
  await writeFile(path, `${(await readFile(cloudsYaml, 'utf8')).trimEnd()}\n${texts.join('')}`);
  return {
    ...entries,
    cloudsYaml: path,
    async close() {
      for (const cleanup of cleanups.reverse()) await cleanup();
      await cloud.close();
    },
  };
}
