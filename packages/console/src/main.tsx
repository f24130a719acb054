import '@patternfly/react-core/dist/styles/base.css';
import './styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { sleepWhileHidden } from './api/stores.ts';
import { App } from './app/app.tsx';
import { followTheme } from './app/theme.ts';
import { whenOtherTabs } from './session/other-tabs.ts';
import { askForSession, followOtherTab } from './session/session.ts';
import { passSingleSignOn, SINGLE_SIGN_ON_PATH } from './session/single-sign-on.ts';

followTheme();
sleepWhileHidden();
void (location.pathname === SINGLE_SIGN_ON_PATH ? passSingleSignOn() : askForSession());
whenOtherTabs((change) => void followOtherTab(change).catch(() => undefined));
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
