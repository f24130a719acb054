import { DEFAULT_DOMAIN } from './identity/records.ts';
import type { World } from './world.ts';

/** The text of a clouds.yaml with an entry for each configured user. JSON strings are YAML strings. */
export function renderCloudsYaml(world: World, origin: string, caFile?: string): string {
  const password = world.tables.secrets.get('password')?.value ?? '';
  const lines = ['clouds:'];
  for (const { entry, user, project } of world.config.entries) {
    lines.push(
      `  ${JSON.stringify(entry)}:`,
      '    auth:',
      `      auth_url: ${JSON.stringify(`${origin}/identity/v3`)}`,
      `      username: ${JSON.stringify(user)}`,
      `      password: ${JSON.stringify(password)}`,
      `      project_name: ${JSON.stringify(project)}`,
      `      user_domain_name: ${DEFAULT_DOMAIN.name}`,
      `      project_domain_name: ${DEFAULT_DOMAIN.name}`,
      `    region_name: ${JSON.stringify(world.config.region)}`,
      '    identity_api_version: 3',
      '    interface: public',
      ...(caFile === undefined ? [] : [`    cacert: ${JSON.stringify(caFile)}`]),
    );
  }
  return `${lines.join('\n')}\n`;
}
