import '@patternfly/react-core/dist/styles/base.css';
import './styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { sleepWhileHidden } from './api/stores.ts';
import { App } from './app/app.tsx';
import { followTheme } from './app/theme.ts';
import { askForSession } from './session/session.ts';

followTheme();
sleepWhileHidden();
void askForSession();
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
