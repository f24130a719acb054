import { type DisplayState, StateLabel } from '../../app/state-label.tsx';
import { useText } from '../../text/use-text.ts';
import { operatorTexts } from './texts.ts';

const ORDER: readonly DisplayState[] = ['attention', 'progress', 'ready', 'asleep'];

/** Counts by state, without zeros. */
export function StateCounts({ states }: { readonly states: Readonly<Record<DisplayState, number>> }) {
  const t = useText(operatorTexts);
  return (
    <span className="fw-op-labels">
      {ORDER.filter((state) => states[state] > 0).map((state) => (
        <StateLabel key={state} state={state}>
          {t(`state.${state}`, { count: states[state] })}
        </StateLabel>
      ))}
    </span>
  );
}
