import { ApiError, badRequest } from '@fairway/kube/object/api-error';
import { cloneJson, isJsonObject, jsonEqual, setOwn } from '@fairway/kube/object/json';
import { MAX_DEPTH, measureJson } from '@fairway/kube/object/json-bounds';
import type { Json } from '@fairway/kube/object/meta';

/**
 * Kubernetes' limits on one patch: the number of operations, and the total size of its copies (evanphx/json-patch's
 * AccumulatedCopySizeLimit).
 */
const MAX_OPERATIONS = 10_000;
const MAX_COPIED_CHARS = 3 * 1024 * 1024;
/**
 * Cost of a value in addition to its characters: without it, copies of many small values within the limit would take
 * half a second.
 */
const CHARS_PER_COPIED_VALUE = 128;
/** Maximum list items shifted by insertions and removals: 10,000 operations on a list of 10,000 items. */
const MAX_SHIFTED_ITEMS = 100_000_000;
const OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;

interface Operation {
  readonly op: (typeof OPERATIONS)[number];
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

/**
 * Applies an RFC 6902 patch to a copy of `target`. Throws BadRequest if the patch is not a list, RequestEntityTooLarge
 * if it has too many operations or copies or moves too much, and Invalid (422, with kube-apiserver's message and the
 * reason as cause) if it does not apply.
 */
export function applyJsonPatch(target: Json, patch: unknown): Json {
  const operations = parseOperations(patch);
  const root: PatchState = { document: cloneJson(target), copiedChars: 0, shiftedItems: 0 };
  for (const operation of operations) {
    try {
      applyOperation(root, operation);
    } catch (error) {
      if (error instanceof MismatchError) throw rejected(error.message);
      throw error;
    }
  }
  return root.document;
}

class MismatchError extends Error {}

function rejected(reason: string): ApiError {
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {
    causes: [{ reason: 'UnexpectedServerResponse', message: reason }],
  });
}

function parseOperations(patch: unknown): Operation[] {
  if (!Array.isArray(patch)) throw badRequest('a JSON patch must be a list of operations');
  if (patch.length > MAX_OPERATIONS) {
    throw tooLargeError(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`);
  }
  return patch.map((item: unknown, index) => {
    const operation = isJsonObject(item) ? item : {};
    const { op, path, from } = operation;
    const known = OPERATIONS.find((candidate) => candidate === op);
    if (known === undefined) throw rejected(`operation ${index} of the JSON patch: unknown op ${JSON.stringify(op)}`);
    if (typeof path !== 'string') throw rejected(`operation ${index} of the JSON patch: path is missing`);
    const needsFrom = known === 'move' || known === 'copy';
    if (needsFrom && typeof from !== 'string') throw rejected(`operation ${index} of the JSON patch: from is missing`);
    const value = operation.value ?? null;
    return { op: known, path, value, ...(typeof from === 'string' && { from }) };
  });
}

/** The document being patched, and the cost of the operations so far. */
interface PatchState {
  document: Json;
  copiedChars: number;
  shiftedItems: number;
}

function tooLargeError(message: string): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', message);
}

function applyOperation(root: PatchState, { op, path, from = '', value = null }: Operation): void {
  switch (op) {
    case 'add':
      return add(root, path, cloneJson(value));
    case 'remove':
      remove(root, path);
      return undefined;
    case 'replace':
      read(root, path);
      return put(root, path, cloneJson(value));
    case 'move': {
      if (path.startsWith(`${from}/`)) throw new MismatchError(`cannot move ${from} into itself`);
      return add(root, path, remove(root, from));
    }
    case 'copy':
      return add(root, path, copyOf(root, path, read(root, from)));
    case 'test':
      break;
  }
  if (!jsonEqual(tryRead(root, path) ?? null, value)) throw new MismatchError(`testing value ${path} failed`);
  return undefined;
}

function copyOf(root: PatchState, path: string, value: Json): Json {
  const left = MAX_COPIED_CHARS - root.copiedChars;
  const size = measureJson(value, {
    maxDepth: MAX_DEPTH,
    maxChars: left,
    charsPerValue: CHARS_PER_COPIED_VALUE,
  });
  if (typeof size === 'number') {
    root.copiedChars += size;
    return cloneJson(value);
  }
  if (size.kind === 'depth') throw new MismatchError(`copy to ${path} would nest deeper than ${MAX_DEPTH} levels`);
  throw tooLargeError(
    `Unable to complete the copy to ${JSON.stringify(path)}: the copies of a JSON patch may add ${MAX_COPIED_CHARS} bytes in all, counting ${CHARS_PER_COPIED_VALUE} for each value`,
  );
}

/** Counts the items that an insertion or removal at `index` shifts in a list. */
function shift(root: PatchState, list: readonly Json[], index: number): void {
  root.shiftedItems += Math.max(0, list.length - index);
  if (root.shiftedItems <= MAX_SHIFTED_ITEMS) return;
  throw tooLargeError(
    `The operations of a JSON patch may shift ${MAX_SHIFTED_ITEMS} items of lists in all: replace the list as a whole`,
  );
}

function read(root: PatchState, path: string): Json {
  const value = tryRead(root, path);
  if (value === undefined) throw new MismatchError(`path ${path} does not exist`);
  return value;
}

function tryRead(root: PatchState, path: string): Json | undefined {
  let value: Json | undefined = root.document;
  for (const token of tokensOf(path)) value = childOf(value, token);
  return value;
}

function childOf(value: Json | undefined, token: string): Json | undefined {
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return isIndex(token) ? items[Number(token)] : undefined;
  }
  return isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}

function add(root: PatchState, path: string, value: Json): void {
  const { parent, last } = parentOf(root, path);
  if (!Array.isArray(parent)) return put(root, path, value);
  const index = last === '-' ? parent.length : Number(last);
  if ((last !== '-' && !isIndex(last)) || index > parent.length) {
    throw new MismatchError(`Unable to access invalid index: ${last}`);
  }
  shift(root, parent, index);
  parent.splice(index, 0, value);
}

function put(root: PatchState, path: string, value: Json): void {
  const { parent, last } = parentOf(root, path);
  if (parent === undefined) root.document = value;
  else if (Array.isArray(parent)) parent[Number(last)] = value;
  else setOwn(parent, last, value);
}

function remove(root: PatchState, path: string): Json {
  const { parent, last } = parentOf(root, path);
  const value = read(root, path);
  if (parent === undefined) throw new MismatchError('cannot remove the whole document');
  if (Array.isArray(parent)) {
    shift(root, parent, Number(last));
    parent.splice(Number(last), 1);
  } else delete parent[last];
  return value;
}

function parentOf(root: PatchState, path: string): { parent: Json[] | Record<string, Json> | undefined; last: string } {
  if (path === '') return { parent: undefined, last: '' };
  const cut = path.lastIndexOf('/');
  const parent = tryRead(root, path.slice(0, cut));
  if (typeof parent !== 'object' || parent === null) throw new MismatchError(`path ${path} does not exist`);
  return { parent: parent as Json[] | Record<string, Json>, last: decodeToken(path.slice(cut + 1)) };
}

function tokensOf(path: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw new MismatchError(`path ${JSON.stringify(path)} does not begin with a slash`);
  const tokens = path.slice(1).split('/', MAX_DEPTH + 1);
  if (tokens.length > MAX_DEPTH) {
    throw new MismatchError(`path ${path.slice(0, 64)}… leads deeper than ${MAX_DEPTH} levels`);
  }
  return tokens.map(decodeToken);
}

function decodeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function isIndex(token: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(token);
}
