import type { Command, Option } from 'commander';
import { KEYS, type Key } from '../configuration/keys.ts';

const INTRODUCTION = `# Configuration

Generated from the schema by \`npm run generate:cli\`.

\`fairway up\` and \`fairway serve\` take their settings from flags, else from the environment, else from one file, else from the defaults. The file is
the one of \`--config\`, else of \`FAIRWAY_CONFIG\`; without either, none is read.

\`\`\`yaml
# fairway.yaml
home: /var/lib/fairway
listen: 0.0.0.0:8443
advertiseAddress: fairway.example.com
cloud:
  name: mycloud
controlPlanes:
  address: 10.0.0.5
log:
  level: info
\`\`\`

- A key that does not exist is an error, and so is a value that is not allowed; both are named with what would be right. A key without a value is not set.
- Relative paths in the file are taken from its folder; those of flags and of the environment from the working directory.
- In the environment a list is separated by commas. A variable that is empty is not set.
- The file is read when Fairway starts. SIGHUP (\`systemctl reload fairway\`) has it read again for \`log\`, which applies at once; of other keys that changed it is said that they need a restart. On a terminal SIGHUP ends Fairway.
- \`log.levels\` goes by the names in log lines: \`"component":"openstack"\`, and \`controllers/machine\` for \`"controller":"machine"\`. \`controllers\` is for all of them; the embedded API's own and those of simulated control planes go by \`api\` and
  \`control-planes\`. In the environment and on the command line: \`openstack=debug,controllers/machine=info\`.

\`\`\`
fairway config check /etc/fairway/fairway.yaml    # the file, the environment, and the files and the cloud that they name
fairway config show /etc/fairway/fairway.yaml     # every key, its value, and where the value comes from
fairway config schema > fairway.schema.json       # for editors; [fairway.schema.json](fairway.schema.json) is the same
\`\`\`
`;

/** The reference for fairway.yaml as Markdown. */
export function renderConfigurationReference(program: Command): string {
  const sections = [...new Set(KEYS.map(({ path }) => sectionOf(path)))];
  const flags = flagsOf(program);
  const tables = sections.flatMap((section) => [
    '',
    section === '' ? '## Keys' : `## \`${section}\``,
    '',
    '| key | meaning | allowed | default | also |',
    '|---|---|---|---|---|',
    ...KEYS.filter(({ path }) => sectionOf(path) === section).map((key) => rowOf(key, flags)),
  ]);
  return `${[INTRODUCTION.trimEnd(), ...tables].join('\n')}\n`;
}

function sectionOf(path: readonly string[]): string {
  return path.slice(0, -1).join('.');
}

function rowOf({ name, variable, facts }: Key, flags: ReadonlyMap<string, Option>): string {
  const { description, allowed, onlyCommand } = facts;
  const flag = flags.get(facts.option)?.long;
  const others = [flag, variable].filter((text) => text !== undefined).map((text) => `\`${text}\``);
  const meaning = `${description}${onlyCommand ? ` (\`${onlyCommand}\` alone)` : ''}`;
  return `| \`${name}\` | ${[meaning, allowed, defaultOf(facts), others.join(' ')].join(' | ')} |`;
}

function defaultOf({ default: value, defaultText }: Key['facts']): string {
  if (Array.isArray(value) && value.length === 0) return 'none';
  return value === undefined ? (defaultText ?? 'none') : `\`${String(value)}\``;
}

/** The flags of up, serve and the program, by the name under which commander stores them. */
function flagsOf(program: Command): ReadonlyMap<string, Option> {
  const commands = [program, ...program.commands.filter((command) => ['up', 'serve'].includes(command.name()))];
  return new Map(commands.flatMap(({ options }) => options.map((option) => [option.attributeName(), option] as const)));
}
