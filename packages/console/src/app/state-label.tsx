import { Label } from '@patternfly/react-core/dist/esm/components/Label';
import { CheckCircleIcon } from '@patternfly/react-icons/dist/esm/icons/check-circle-icon';
import { ExclamationTriangleIcon } from '@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon';
import { InProgressIcon } from '@patternfly/react-icons/dist/esm/icons/in-progress-icon';
import { MoonIcon } from '@patternfly/react-icons/dist/esm/icons/moon-icon';
import type { ReactNode } from 'react';

export type DisplayState = 'attention' | 'progress' | 'ready' | 'asleep';

const STATE_STYLES: Readonly<
  Record<DisplayState, { readonly color: 'orange' | 'blue' | 'green' | 'grey'; readonly icon: ReactNode }>
> = {
  attention: { color: 'orange', icon: <ExclamationTriangleIcon /> },
  progress: { color: 'blue', icon: <InProgressIcon /> },
  ready: { color: 'green', icon: <CheckCircleIcon /> },
  asleep: { color: 'grey', icon: <MoonIcon /> },
};

/** A state as text, icon and colour: never by colour alone. */
export function StateLabel({ state, children }: { readonly state: DisplayState; readonly children: ReactNode }) {
  const { color, icon } = STATE_STYLES[state];
  return (
    <Label color={color} icon={icon} isCompact variant="outline">
      {children}
    </Label>
  );
}
