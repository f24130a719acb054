import { canonicalJson, isJsonObject } from '@fairway/kube/object/json';
import type { Json } from '@fairway/kube/object/meta';

/**
 * Orders a merged list by the patch's items. Items that exist only on the server stay before the listed items that
 * followed them, and after new ones (apimachinery's strategicpatch, `mergeSortedSlice`).
 */
export function orderMergedList(
  merged: readonly Json[],
  previous: readonly Json[],
  order: readonly Json[],
  mergeKey: string | undefined,
): Json[] {
  const identityOf = (item: Json) =>
    canonicalJson(mergeKey !== undefined && isJsonObject(item) ? item[mergeKey] : item);
  const requestedPositions = new Map(order.map((item, index) => [identityOf(item), index]));
  const previousPositions = new Map(previous.map((item, index) => [identityOf(item), index]));
  const positionIn = (positions: Map<string, number>, item: Json | undefined) =>
    (item === undefined ? undefined : positions.get(identityOf(item))) ?? Number.POSITIVE_INFINITY;

  const sortBy = (positions: Map<string, number>, items: Json[]) =>
    items.sort((left, right) => {
      const [first, second] = [positionIn(positions, left), positionIn(positions, right)];
      return first === second ? 0 : first - second;
    });
  const named = sortBy(
    requestedPositions,
    merged.filter((item) => requestedPositions.has(identityOf(item))),
  );
  const unnamed = sortBy(
    previousPositions,
    merged.filter((item) => !requestedPositions.has(identityOf(item))),
  );

  const result: Json[] = [];
  let next = 0;
  for (const item of named) {
    const position = previousPositions.has(identityOf(item)) ? positionIn(previousPositions, item) : -1;
    for (; next < unnamed.length && positionIn(previousPositions, unnamed[next]) < position; next++) {
      result.push(unnamed[next] as Json);
    }
    result.push(item);
  }
  return [...result, ...unnamed.slice(next)];
}
