import { isJsonObject } from '@fairway/kube/object/json';

/**
 * A set of field paths in the form of `fieldsV1`: a trie whose edges are path elements (`f:name`, `k:{"name":"a"}`, `v:"x"`). A
 * node without children is a member; one with children is a member if it has `.` too. Sets are never changed in place.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** Path element for the node itself. */
export const SELF = '.';
/** A member without children. Used as a set, it is the empty set. */
export const MEMBER: FieldSet = {};

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** The node with these children; undefined if it would be empty. */
export function fieldNode(isMember: boolean, children: FieldSet | undefined): FieldSet | undefined {
  if (children === undefined || isEmptySet(children)) return isMember ? MEMBER : undefined;
  return isMember ? { [SELF]: MEMBER, ...children } : children;
}

/** The union of two sets; returns `left` or `right` itself if the union equals it. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(right)) return left;
  if (isEmptySet(left)) return right;
  let result = left;
  for (const element in right) {
    const leftNode = left[element];
    const rightNode = right[element] as FieldSet;
    const merged = leftNode === undefined ? rightNode : unionOfNodes(leftNode, rightNode);
    if (merged === leftNode) continue;
    if (result === left) result = { ...left };
    (result as Record<string, FieldSet>)[element] = merged;
  }
  return result;
}

/** The set of the members of `left` that are not members of `right`; returns `left` itself if nothing is removed. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  let result = left;
  for (const element in right) {
    const leftNode = left[element];
    if (leftNode === undefined || element === SELF) continue;
    const rest = differenceOfNodes(leftNode, right[element] as FieldSet);
    if (rest === leftNode) continue;
    if (result === left) result = { ...left };
    if (rest === undefined) delete (result as Record<string, FieldSet>)[element];
    else (result as Record<string, FieldSet>)[element] = rest;
  }
  return result;
}

/** The intersection of two sets. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const element in left) {
    const rightNode = right[element];
    if (element === SELF || rightNode === undefined) continue;
    const leftNode = left[element] as FieldSet;
    const node = fieldNode(isMember(leftNode) && isMember(rightNode), intersection(leftNode, rightNode));
    if (node !== undefined) result[element] = node;
  }
  return result;
}

/** Calls back with every member's path, in the format of conflicts: `.spec.containers[name="a"].image`. */
export function forEachPath(set: FieldSet, visit: (path: string) => void, prefix = ''): void {
  for (const element of Object.keys(set).sort()) {
    if (element === SELF) continue;
    const node = set[element] as FieldSet;
    const path = prefix + formatElement(element);
    if (isMember(node)) visit(path);
    forEachPath(node, visit, path);
  }
}

/** The same set with its elements in Kubernetes' order. Returns the set itself if it is already ordered. */
export function sortedSet(set: FieldSet): FieldSet {
  return isSorted(set) ? set : sorted(set);
}

function isSorted(set: FieldSet): boolean {
  let last = '';
  for (const element in set) {
    if (element < last || !isSorted(set[element] as FieldSet)) return false;
    last = element;
  }
  return true;
}

function sorted(set: FieldSet): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const element of Object.keys(set).sort()) {
    const node = set[element] as FieldSet;
    result[element] = isEmptySet(node) ? MEMBER : sorted(node);
  }
  return result;
}

/** Parses `fieldsV1` from a client; undefined if it is invalid. */
export function parseFieldSet(value: unknown): FieldSet | undefined {
  if (!isJsonObject(value)) return undefined;
  for (const element in value) {
    if (!isElement(element) || parseFieldSet(value[element]) === undefined) return undefined;
  }
  return value as FieldSet;
}

function isElement(element: string): boolean {
  if (element === SELF || element.startsWith('f:')) return true;
  const content = element.slice(2);
  if (element.startsWith('i:')) return /^\d{1,9}$/.test(content);
  if (!element.startsWith('k:') && !element.startsWith('v:')) return false;
  try {
    const parsed: unknown = JSON.parse(content);
    return element.startsWith('v:') || isJsonObject(parsed);
  } catch {
    return false;
  }
}

export function isMember(node: FieldSet): boolean {
  return SELF in node || isEmptySet(node);
}

export function hasChildren(node: FieldSet): boolean {
  for (const element in node) if (element !== SELF) return true;
  return false;
}

function unionOfNodes(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(right)) return isMember(left) ? left : { [SELF]: MEMBER, ...left };
  if (isEmptySet(left)) return isMember(right) ? right : { [SELF]: MEMBER, ...right };
  return union(left, right);
}

function differenceOfNodes(left: FieldSet, right: FieldSet): FieldSet | undefined {
  const rest = difference(left, right);
  const wasMember = isMember(left);
  const staysMember = wasMember && !isMember(right);
  if (rest === left && wasMember === staysMember) return left;
  const { [SELF]: _, ...children } = rest;
  return fieldNode(staysMember, children);
}

/** A path element in the format of conflicts and errors: `.name`, `[name="a"]`, `[="x"]`. */
export function formatElement(element: string): string {
  const content = element.slice(2);
  switch (element.charAt(0)) {
    case 'f':
      return `.${content}`;
    case 'k': {
      const keys = Object.entries(JSON.parse(content) as Record<string, unknown>);
      return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
    }
    case 'v':
      return `[=${content}]`;
    default:
      return `[${content}]`;
  }
}
