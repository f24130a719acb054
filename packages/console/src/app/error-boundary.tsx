import { Component, type ErrorInfo, type ReactNode } from 'react';
import { plain } from '../text/plain.ts';
import { useText } from '../text/use-text.ts';
import { shellTexts } from './shell/texts.ts';

interface State {
  readonly error: Error | undefined;
}

/** Contains a rendering error, so that the rest of the console still works. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override readonly state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    reportError(new Error(`${error.message}${info.componentStack ?? ''}`, { cause: error }));
  }

  override render(): ReactNode {
    return this.state.error === undefined ? this.props.children : <CrashNotice error={this.state.error} />;
  }
}

function CrashNotice({ error }: { readonly error: Error }) {
  const t = useText(shellTexts);
  const kind = isLoadFailure(error) ? 'error.notLoaded' : 'error';
  return (
    <section className="fw-broken" role="alert">
      <h1>{t(`${kind}.title`)}</h1>
      <p>{t(`${kind}.body`)}</p>
      <pre>{plain(error.message)}</pre>
      <button type="button" onClick={() => location.reload()}>
        {t('error.reload')}
      </button>
    </section>
  );
}

/** A newer console has replaced the files of this version, or the server is unreachable. */
function isLoadFailure({ message }: Error): boolean {
  // The messages of Chromium, Firefox and Safari.
  return /dynamically imported module|importing a module script/i.test(message);
}
