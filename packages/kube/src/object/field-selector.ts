import { badRequest } from './api-error.ts';

/** One term of a field selector; all terms must hold. */
export interface FieldTerm {
  readonly field: string;
  readonly negated: boolean;
  readonly value: string;
}

/** Parses a `fieldSelector`: `status.phase!=Running,spec.nodeName=a`. Throws BadRequest with apimachinery's messages. */
export function parseFieldSelector(text: string): FieldTerm[] {
  const terms: FieldTerm[] = [];
  for (const part of splitTerms(text)) {
    if (part === '') continue;
    const match = /^(.*?)(!=|==|=)(.*)$/s.exec(part);
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    const [, field = '', operator, value = ''] = match;
    terms.push({ field, negated: operator === '!=', value: unescapeValue(value) });
  }
  return terms;
}

/** The value that the terms require of `field`, if any: lets a list of one name read one object. */
export function requiredFieldValue(terms: readonly FieldTerm[], field: string): string | undefined {
  return terms.find((term) => term.field === field && !term.negated)?.value;
}

/** Splits at commas that no backslash precedes. */
function splitTerms(text: string): string[] {
  return text === '' ? [] : (text.match(/(?:\\.|[^,\\]|\\$)+|(?<=,|^)(?=,|$)/gs) ?? []);
}

function unescapeValue(value: string): string {
  return value.replaceAll(/\\(.?)|[,=]/gs, (found, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw badRequest(`invalid field selector: unescaped character in value: ${found.codePointAt(0)}`);
    }
    if (escaped === '' || !'\\,='.includes(escaped)) {
      throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
    }
    return escaped;
  });
}
