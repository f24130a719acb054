import { type ApiError, badRequest } from '@fairway/kube/object/api-error';
import { cloneJson, isJsonArray, isJsonObject } from '@fairway/kube/object/json';
import { MAX_DEPTH } from '@fairway/kube/object/json-bounds';
import { load, YAMLException } from 'js-yaml';
import { duplicateFieldMessage, duplicateFields } from '../schema/duplicate-fields.ts';
import { checkDecoded } from './body-bounds.ts';
import type { BodyRequest } from './body-request.ts';
import { fieldValidationOf, reportFields } from './field-validation.ts';
import { duplicateKeysMessage } from './yaml-duplicates.ts';

/** Maximum YAML aliases: generated objects need none, hand-written ones a few dozen. */
const MAX_ALIASES = 1000;

/** Thrown internally for text that is not valid JSON, but may be valid YAML. */
class JsonSyntaxError extends Error {}

/** The value of a JSON body. Throws 400 if the body can't be read or is nested too deeply. */
export function parseJson(request: BodyRequest, text: string, report = reportFields): unknown {
  try {
    return readJson(request, text, report);
  } catch (error) {
    if (error instanceof JsonSyntaxError) {
      throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
    }
    throw error;
  }
}

function readJson(request: BodyRequest, text: string, report: typeof reportFields): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new JsonSyntaxError((error as Error).message);
  }
  checkDecoded(value);
  // Parsing drops duplicates, so only text that is longer than its serialized result can contain them.
  if (fieldValidationOf(request.query) !== 'Ignore' && JSON.stringify(value).length !== text.length) {
    report(request, duplicateFields(text).map(duplicateFieldMessage));
  }
  return value;
}

/**
 * The value of a YAML or JSON body; YAML is a superset of JSON. Aliased content counts once per use. Throws 400 for a
 * body that is invalid, nested too deeply or not representable in JSON, and 413 for one that is too large when
 * expanded.
 */
export function parseYaml(request: BodyRequest, text: string, report = reportFields): unknown {
  if (text.trimStart().startsWith('{')) {
    try {
      return readJson(request, text, (_, found) => {
        if (found.length > 0) reportKeys(request, text, report);
      });
    } catch (error) {
      // Flow-style YAML begins in the same way.
      if (!(error instanceof JsonSyntaxError)) throw error;
    }
  }
  const value = readYaml(request, text, report);
  checkDecoded(value);
  // Unshares aliased values, so that later changes affect only one place.
  const own = cloneJson(value);
  checkNumbers(own);
  return own;
}

/** The error for keys without distinct text, such as aliases. */
const DUPLICATE_KEY_ERROR = 'yaml: duplicated mapping key';

const LIMITS = { maxAliases: MAX_ALIASES, maxDepth: MAX_DEPTH };

function readYaml(request: BodyRequest, text: string, report: typeof reportFields): unknown {
  try {
    return load(text, LIMITS);
  } catch (error) {
    if (yamlException(error).reason !== 'duplicated mapping key') throw parseError(error);
  }
  try {
    const value: unknown = load(text, { ...LIMITS, json: true });
    if (fieldValidationOf(request.query) !== 'Ignore') reportKeys(request, text, report);
    return value;
  } catch (error) {
    throw parseError(error);
  }
}

/** Rejects duplicate keys or warns about them, with upstream's messages for YAML. */
function reportKeys(request: BodyRequest, text: string, report: typeof reportFields): void {
  const message = messageOfKeys(text);
  // The only YAML patch is an apply.
  if (request.verb !== 'patch') return report(request, [message]);
  const detail = `error converting YAML to JSON: ${message}`;
  if (fieldValidationOf(request.query) === 'Strict') throw badRequest(`error strict decoding YAML: ${detail}`);
  request.warn(detail);
}

function messageOfKeys(text: string): string {
  try {
    return duplicateKeysMessage(text, LIMITS) ?? DUPLICATE_KEY_ERROR;
  } catch (error) {
    // JSON is almost always valid YAML.
    yamlException(error);
    return DUPLICATE_KEY_ERROR;
  }
}

function yamlException(error: unknown): YAMLException {
  if (error instanceof YAMLException) return error;
  throw error;
}

/** Omits the excerpt of the body, which can be as long as its longest line. */
function parseError(error: unknown): ApiError {
  const { reason, mark } = yamlException(error);
  const at = mark === undefined ? '' : ` (line ${mark.line + 1}, column ${mark.column + 1})`;
  return badRequest(`error converting YAML to JSON: yaml: ${reason}${at}`);
}

function checkNumbers(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw badRequest(`error converting YAML to JSON: json: unsupported value: ${value}`);
  }
  if (isJsonArray(value)) for (const item of value) checkNumbers(item);
  else if (isJsonObject(value)) for (const name in value) checkNumbers(value[name]);
}
