import { type ReactNode, useLayoutEffect } from 'react';

/** Where dialogs are shown, so that they go away with what they belong to. */
export const KEPT_ID = 'kept';

export interface KeptProps {
  readonly isAway: boolean;
  readonly children: ReactNode;
}

/** What is out of sight while somebody signs in again, with all that he was writing; then he goes on where he was. */
export function Kept({ isAway, children }: KeptProps) {
  // Before the sign-in takes the focus.
  useLayoutEffect(() => {
    if (!isAway) return;
    const { title, activeElement } = document;
    return () => {
      document.title = title;
      // When it is to be seen again.
      requestAnimationFrame(() => activeElement instanceof HTMLElement && activeElement.focus());
    };
  }, [isAway]);
  return (
    <div id={KEPT_ID} className="fw-kept" hidden={isAway}>
      {children}
    </div>
  );
}
