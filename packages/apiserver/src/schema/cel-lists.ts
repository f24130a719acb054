import type { Environment } from '@marcbachmann/cel-js';

type List = readonly unknown[];

/** The receiver of `sets.contains(…)`. */
class SetsNamespace {
  readonly name = 'sets';
}

/** `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf` (k8s.io/apiserver/pkg/cel/library/lists.go). */
export function addLists(environment: Environment): void {
  const first = (list: List) => {
    if (list.length === 0) throw new Error('min or max called on empty list');
    return list[0];
  };
  environment
    .registerFunction('list<dyn>.isSorted(): bool', (list: List) =>
      list.every((item, index) => index === 0 || !isLess(item, list[index - 1])),
    )
    .registerFunction('list<dyn>.sum(): dyn', (list: List) => sum(list))
    .registerFunction('list<dyn>.min(): dyn', (list: List) =>
      list.reduce((best, item) => (isLess(item, best) ? item : best), first(list)),
    )
    .registerFunction('list<dyn>.max(): dyn', (list: List) =>
      list.reduce((best, item) => (isLess(best, item) ? item : best), first(list)),
    )
    .registerFunction('list<dyn>.indexOf(dyn): int', (list: List, item: unknown) =>
      BigInt(list.findIndex((candidate) => isSame(candidate, item))),
    )
    .registerFunction('list<dyn>.lastIndexOf(dyn): int', (list: List, item: unknown) =>
      BigInt(list.findLastIndex((candidate) => isSame(candidate, item))),
    );
}

function sum(list: List): unknown {
  if (list.every((item) => typeof item === 'bigint')) return list.reduce((total: bigint, item) => total + item, 0n);
  return list.reduce((total: number, item) => total + Number(item), 0);
}

function isLess(left: unknown, right: unknown): boolean {
  return (left as number) < (right as number);
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || (typeof left === 'object' && textOf(left) === textOf(right));
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? `int ${item}` : item));
}

/** `sets.contains`, `sets.equivalent`, `sets.intersects` (cel-go's ext/sets.go). */
export function addSets(environment: Environment): void {
  const hasItem = (list: List, item: unknown) => list.some((candidate) => isSame(candidate, item));
  const contains = (list: List, sublist: List) => sublist.every((item) => hasItem(list, item));
  environment
    .registerType('SetsNamespace', SetsNamespace)
    .registerConstant('sets', 'SetsNamespace', new SetsNamespace())
    .registerFunction('SetsNamespace.contains(list<dyn>, list<dyn>): bool', (_: unknown, left: List, right: List) =>
      contains(left, right),
    )
    .registerFunction(
      'SetsNamespace.equivalent(list<dyn>, list<dyn>): bool',
      (_: unknown, left: List, right: List) => contains(left, right) && contains(right, left),
    )
    .registerFunction('SetsNamespace.intersects(list<dyn>, list<dyn>): bool', (_: unknown, left: List, right: List) =>
      left.some((item) => hasItem(right, item)),
    );
}
