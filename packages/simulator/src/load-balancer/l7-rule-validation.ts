import { ApiError } from '../http/api.ts';
import type { L7Rule } from './records.ts';

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_VALUE = /^[A-Za-z0-9!"#$%&'()*+,./:;<=>?@[\\\]^_`{|}~-]+$/;
const QUOTED_VALUE = /^"[^\r\n"]*"$/;
const COOKIE_VALUE = /^[A-Za-z0-9!#$%&'()*+./:<=>?@[\]^_`{|}~-]+$/;
const NAME_FIELD = /^([a-zA-Z][A-Za-z0-9-]*)$/;

type Rule = Pick<L7Rule, 'type' | 'compare_type' | 'key' | 'value'>;

/** Throws Octavia's 400 for a rule that can never match. */
export function checkRule(rule: Rule): void {
  const problem = problemOf(rule);
  if (problem !== undefined) throw new ApiError(400, `Error parsing L7Rule: ${problem}`);
}

function problemOf({ type, compare_type, key, value }: Rule): string | undefined {
  if (value === '') return ruleProblem('L7 rule type requires a value');
  switch (type) {
    case 'HEADER':
    case 'COOKIE':
      if (key === null || key === '') return ruleProblem('L7 rule type requires a key');
      if (!HEADER_NAME.test(key)) return 'Invalid characters in key';
      return compare_type === 'REGEX' ? regexProblem(value) : valueProblem(value, type);
    case 'HOST_NAME':
    case 'PATH':
      return compare_type === 'REGEX' ? regexProblem(value) : valueProblem(value, type);
    case 'FILE_TYPE':
      if (compare_type === 'REGEX') return regexProblem(value);
      return compare_type === 'EQUAL_TO'
        ? valueProblem(value, type)
        : ruleProblem('invalid comparison type for rule type');
    case 'SSL_DN_FIELD':
      if (key === null || key === '') return ruleProblem(`L7rule type ${type} needs to specify a key and a value.`);
      if (!NAME_FIELD.test(key)) return ruleProblem('Invalid L7rule distinguished name field.');
      return compare_type === 'REGEX' ? regexProblem(value) : undefined;
    default:
      return tlsProblem({ type, compare_type, key, value });
  }
}

function ruleProblem(text: string): string {
  return `Invalid L7 Rule: ${text}`;
}

function regexProblem(value: string): string | undefined {
  const error = parseError(value);
  return error === undefined ? undefined : `Unable to parse regular expression: ${error}`;
}

function parseError(regex: string): string | undefined {
  try {
    const { source } = new RegExp(regex);
    return source === '' ? 'empty' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function valueProblem(value: string, type: string): string | undefined {
  if (type === 'COOKIE') return COOKIE_VALUE.test(value) ? undefined : 'Invalid characters in cookie value';
  if (HEADER_VALUE.test(value) || QUOTED_VALUE.test(value)) return undefined;
  return `Invalid characters in ${type === 'HEADER' ? 'header value' : 'comparison value'}`;
}

function tlsProblem({ type, compare_type, key, value }: Rule): string | undefined {
  if (key !== null && key !== '') return ruleProblem(`L7rule type ${type} does not use the "key" field.`);
  if (type === 'SSL_CONN_HAS_CERT' && value.toLowerCase() !== 'true')
    return ruleProblem(`L7rule value ${value} is not a boolean True string.`);
  if (type === 'SSL_VERIFY_RESULT' && !/^\d+$/.test(value))
    return ruleProblem(`L7rule type ${type} needs a int value, which is >= 0`);
  if (compare_type !== 'EQUAL_TO') return ruleProblem(`L7rule type ${type} only supports the EQUAL_TO compare type.`);
  return undefined;
}
