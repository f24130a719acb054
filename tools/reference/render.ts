import { objectSchema } from '@fairway/api/crd/object-schema';
import { KINDS } from '@fairway/api/kinds/all';
import type { Kind } from '@fairway/api/kinds/kind';
import { type Field, fieldsOf } from './fields.ts';

/** Maps the names of files in docs/reference to their text. */
export function renderReferencePages(): ReadonlyMap<string, string> {
  return new Map([['README.md', renderIndex()], ...KINDS.map((kind) => [fileOf(kind), renderKind(kind)] as const)]);
}

function fileOf({ singular }: Kind): string {
  return `${singular}.md`;
}

function renderIndex(): string {
  const rows = KINDS.map(
    (kind) => `| [${kind.kind}](${fileOf(kind)}) | ${scopeOf(kind)} | ${cell(kind.description)} |`,
  );
  return `# API reference

Kinds of \`${KINDS[0]?.group}/${KINDS[0]?.version}\`. \`kubectl explain cluster.spec\` says the same. \`npm run generate:reference\` writes these pages from the schemas.

| kind | scope | |
|---|---|---|
${rows.join('\n')}

\`[]\` stands for each item of a list, \`{}\` for each value of a map.
`;
}

function renderKind(kind: Kind): string {
  const { spec = {}, status } = objectSchema(kind).properties ?? {};
  const names = kind.shortNames.length > 0 ? ` (${kind.shortNames.map((name) => `\`${name}\``).join(', ')})` : '';
  const immutable =
    kind.immutable.length > 0
      ? `\n\nCannot be changed: ${kind.immutable.map((path) => `\`${path}\``).join(', ')}.`
      : '';
  const rules = kind.rules.map(({ field, message }) => `- \`${field}\`: ${message}`);
  const sections = [
    `# ${kind.kind}\n\n${kind.description}\n\n\`${kind.plural}.${kind.group}\`${names}, ${scopeOf(kind)}.${immutable}`,
    `## Spec\n\n${renderFields(fieldsOf(spec, 'spec'))}`,
    ...(rules.length > 0 ? [`## Rules\n\n${rules.join('\n')}`] : []),
    ...(status ? [`## Status\n\n${renderFields(withoutConditions(fieldsOf(status, 'status')))}`] : []),
  ];
  return `<!-- Written by npm run generate:reference. -->\n\n${sections.join('\n\n')}\n`;
}

function scopeOf({ namespaced }: Kind): string {
  return namespaced ? 'namespaced' : 'cluster-scoped';
}

/** The fields of conditions are the same for all kinds. */
function withoutConditions(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ path }) => !path.startsWith('status.conditions[]'));
}

function renderFields(fields: readonly Field[]): string {
  const rows = fields.map(
    ({ path, type, isRequired, description }) =>
      `| \`${path}\` | ${cell(type)}${isRequired ? ', required' : ''} | ${cell(description)} |`,
  );
  return `| field | type | |\n|---|---|---|\n${rows.join('\n')}`;
}

/** Text escaped for a table cell. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\|<*_[\]{}]/g, '\\$&');
}
