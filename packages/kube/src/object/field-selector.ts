import { badRequest } from './api-error.ts';

/** One term of a field selector; all terms must match. */
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
    const match = /!=|==?/.exec(part);
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    const [operator] = match;
    const value = unescapeValue(part.slice(match.index + operator.length));
    terms.push({ field: part.slice(0, match.index), negated: operator === '!=', value });
  }
  return terms;
}

/** The value that the terms require of `field`, if any. It lets a list that selects one name read a single object. */
export function requiredFieldValue(terms: readonly FieldTerm[], field: string): string | undefined {
  return terms.find((term) => term.field === field && !term.negated)?.value;
}

/** Splits at unescaped commas. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at++;
    if (char !== ',') continue;
    terms.push(text.slice(start, at));
    start = at + 1;
  }
  return [...terms, text.slice(start)];
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
