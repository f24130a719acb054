import type { ShownState } from '../app/state-label.tsx';
import type { ListFilter } from './list-page.tsx';

const STATES = ['attention', 'progress', 'ready'] as const satisfies readonly ShownState[];

/** A filter for each state, what needs somebody first. */
export function stateFilters<T>(
  titleOf: (state: (typeof STATES)[number]) => string,
  stateOf: (row: T) => ShownState,
): readonly ListFilter<T>[] {
  return STATES.map((state) => ({ key: state, title: titleOf(state), isIn: (row) => stateOf(row) === state }));
}
