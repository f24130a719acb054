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
    return this.state.error === undefined ? this.props.children : <Broken error={this.state.error} />;
  }
}

function Broken({ error }: { readonly error: Error }) {
  const say = useText(shellTexts);
  const kind = isNotLoaded(error) ? 'error.notLoaded' : 'error';
  return (
    <section className="fw-broken" role="alert">
      <h1>{say(`${kind}.title`)}</h1>
      <p>{say(`${kind}.body`)}</p>
      <pre>{plain(error.message)}</pre>
      <button type="button" onClick={() => location.reload()}>
        {say('error.reload')}
      </button>
    </section>
  );
}

/** A newer console has replaced the files of this one, or the server is unreachable. */
function isNotLoaded({ message }: Error): boolean {
  // The messages of Chromium, Firefox and Safari.
  return /dynamically imported module|importing a module script/i.test(message);
}
