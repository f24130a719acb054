import { Component, type ErrorInfo, type ReactNode } from 'react';
import { useText } from '../text/use-text.ts';
import { shellTexts } from './shell/texts.ts';

interface State {
  readonly error: Error | undefined;
}

/** What fails while it is shown takes nothing else with it. */
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
  return (
    <section className="fw-broken" role="alert">
      <h1>{say('error.title')}</h1>
      <p>{say('error.body')}</p>
      <pre>{error.message}</pre>
      <button type="button" onClick={() => location.reload()}>
        {say('error.reload')}
      </button>
    </section>
  );
}
