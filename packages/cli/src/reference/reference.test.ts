import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../program.ts';
import { fakeContext } from '../testing/fake-context.ts';
import { renderConfigurationReference } from './configuration-reference.ts';
import { argumentUsage, renderReference } from './reference.ts';

test('docs/cli.md matches the command line (npm run generate:cli)', () => {
  const stored = readFileSync(join(import.meta.dirname, '../../../../docs/cli.md'), 'utf8');

  expect(stored).toBe(renderReference(buildProgram(fakeContext())));
});

test('the section of every command lists all its options and arguments, described there or in a shared section', () => {
  const program = buildProgram(fakeContext());
  const configuration = renderConfigurationReference(program);
  const sections = new Map(
    renderReference(program)
      .split(/^##+ /m)
      .map((text) => [text.slice(0, text.indexOf('\n')), text] as const),
  );
  const shared = sections.get('Shared options') ?? '';
  const missing: string[] = [];
  const visit = (command: Command, path: string) => {
    const section = sections.get(path) ?? '';
    for (const { flags, long, description } of command.options.filter((option) => !option.hidden)) {
      const item = `- \`${flags}\`: ${description}`;
      const isSetting = section.includes('operators/configuration.md') && configuration.includes(` \`${long}\``);
      const isDescribed = isSetting || section.includes(item) || shared.includes(item);
      if (!section.includes(`\`${flags}\``) || !isDescribed) missing.push(`${path} ${flags}`);
    }
    for (const argument of command.registeredArguments) {
      if (!section.includes(`- \`${argumentUsage(argument)}\`: ${argument.description}`)) {
        missing.push(`${path} ${argument.name()}`);
      }
    }
    for (const child of command.commands.filter((each) => !each.name().startsWith('__'))) {
      visit(child, `${path} ${child.name()}`);
    }
  };
  for (const command of program.commands.filter((each) => !each.name().startsWith('__'))) {
    visit(command, `fairway ${command.name()}`);
  }

  expect(missing).toEqual([]);
});
