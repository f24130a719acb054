import '@patternfly/react-core/dist/styles/base.css';
import './styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { suspendWhileHidden } from './api/stores.ts';
import { App } from './app/app.tsx';
import { followTheme } from './app/theme.ts';
import { onOtherTabs } from './session/other-tabs.ts';
import { followOtherTab, loadSession } from './session/session.ts';
import { continueSingleSignOn, SINGLE_SIGN_ON_PATH } from './session/single-sign-on.ts';

followTheme();
suspendWhileHidden();
void (location.pathname === SINGLE_SIGN_ON_PATH ? continueSingleSignOn() : loadSession());
onOtherTabs((change) => void followOtherTab(change).catch(() => undefined));
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
