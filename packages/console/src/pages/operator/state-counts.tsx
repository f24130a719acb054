import { type DisplayState, StateLabel } from '../../app/state-label.tsx';
import { useText } from '../../text/use-text.ts';
import { operatorTexts } from './texts.ts';

const ORDER: readonly DisplayState[] = ['attention', 'progress', 'ready', 'asleep'];

/** How many are how; of what there is none, nothing is said. */
export function StateCounts({ states }: { readonly states: Readonly<Record<DisplayState, number>> }) {
  const say = useText(operatorTexts);
  return (
    <span className="fw-op-labels">
      {ORDER.filter((state) => states[state] > 0).map((state) => (
        <StateLabel key={state} state={state}>
          {say(`state.${state}`, { count: states[state] })}
        </StateLabel>
      ))}
    </span>
  );
}
