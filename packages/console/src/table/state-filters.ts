import type { DisplayState } from '../app/state-label.tsx';
import type { ListFilter } from './list-page.tsx';

const STATES = ['attention', 'progress', 'ready'] as const satisfies readonly DisplayState[];

/** One filter per state; states that need attention come first. */
export function stateFilters<T>(
  titleOf: (state: (typeof STATES)[number]) => string,
  stateOf: (row: T) => DisplayState,
): readonly ListFilter<T>[] {
  return STATES.map((state) => ({ key: state, title: titleOf(state), isIn: (row) => stateOf(row) === state }));
}
