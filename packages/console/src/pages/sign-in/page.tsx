import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { ActionGroup, Form } from '@patternfly/react-core/dist/esm/components/Form';
import { ToggleGroup, ToggleGroupItem } from '@patternfly/react-core/dist/esm/components/ToggleGroup';
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { Failure } from '../../api/failure.ts';
import { SIGN_IN_DOCUMENTATION } from '../../app/documentation.ts';
import { DocumentationLink } from '../../app/documentation-link.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { SettingsMenu } from '../../app/shell/settings-menu.tsx';
import { dismissSignIn, type Session, type SignInOptions, signIn } from '../../session/session.ts';
import { useText } from '../../text/use-text.ts';
import {
  credentialsOf,
  EMPTY_INPUT,
  type Field,
  fieldsOf,
  needsPasscode,
  problemOf,
  SIGN_IN_METHODS,
  type SignInInput,
  type SignInMethod,
} from './form.ts';
import { SignInField } from './sign-in-field.tsx';
import { SingleSignOnLinks } from './single-sign-on-links.tsx';
import { signInTexts } from './texts.ts';

export interface SignInPageProps {
  readonly options: SignInOptions;
  /** Why the previous session ended. */
  readonly notice?: 'ended' | 'early' | 'left' | undefined;
  /** Why a single sign-on failed. */
  readonly failure?: Failure | undefined;
  /** The user of the previous session, whose input is kept. */
  readonly session?: Session;
}

export function SignInPage({ options, notice, failure, session }: SignInPageProps) {
  const t = useText(signInTexts);
  usePageTitle(t('title'));
  const offeredMethods = options.keystone ? SIGN_IN_METHODS : SIGN_IN_METHODS.filter((method) => method === 'token');
  const [method, setMethod] = useState<SignInMethod>(offeredMethods[0] ?? 'token');
  const [input, setInput] = useState<SignInInput>(
    session?.kind === 'keystone' ? { ...EMPTY_INPUT, username: session.user } : EMPTY_INPUT,
  );
  const [wantsPasscode, setWantsPasscode] = useState(false);
  const [isMissing, setIsMissing] = useState<ReadonlySet<Field>>(new Set());
  const [problem, setProblem] = useState<string | undefined>(
    failure && t('failed.singleSignOn', { message: failure.message }),
  );
  const [isBusy, setIsBusy] = useState(false);
  const fields = fieldsOf(method, wantsPasscode);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Moves the focus, because this page replaces another.
    if (notice !== undefined) heading.current?.focus();
  }, [notice]);

  async function submit(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    const missing = fields.filter((field) => input[field].trim() === '');
    setIsMissing(new Set(missing));
    setProblem(undefined);
    if (missing[0] !== undefined) return document.getElementById(missing[0])?.focus();
    setIsBusy(true);
    try {
      await signIn(credentialsOf(method, input));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setIsBusy(false);
      if (needsPasscode(error) && !wantsPasscode) return setWantsPasscode(true);
      const { text, values } = problemOf(error, method, wantsPasscode);
      setProblem(t(text, values));
    }
  }

  return (
    <main className="fw-sign-in">
      <header>
        <img src="/console/icon.svg" alt="" width={44} height={44} />
        <div className="fw-sign-in-name">Fairway</div>
        <DocumentationLink page={SIGN_IN_DOCUMENTATION} />
        <SettingsMenu />
      </header>
      <h1 ref={heading} tabIndex={-1}>
        {t('title')}
      </h1>
      <p className="fw-quiet">{t('lead')}</p>
      {notice !== undefined && <Alert isInline variant="info" title={t(`notice.${notice}`)} component="p" />}
      <SingleSignOnLinks names={options.singleSignOn ?? []} inNewTab={session !== undefined} />
      {offeredMethods.length > 1 && (
        <ToggleGroup aria-label={t('way.label')}>
          {offeredMethods.map((each) => (
            <ToggleGroupItem
              key={each}
              text={t(`way.${each}`)}
              isSelected={each === method}
              onChange={() => {
                setMethod(each);
                setProblem(undefined);
                setIsMissing(new Set());
              }}
            />
          ))}
        </ToggleGroup>
      )}
      <Form onSubmit={(event) => void submit(event)} noValidate>
        <div role="alert">
          {problem !== undefined && <Alert isInline variant="danger" title={problem} component="p" />}
        </div>
        {fields.map((field) => (
          <SignInField
            key={field}
            field={field}
            value={input[field]}
            isMissing={isMissing.has(field)}
            onChange={(value) => setInput({ ...input, [field]: value })}
          />
        ))}
        <ActionGroup>
          <Button type="submit" isBlock isLoading={isBusy} isDisabled={isBusy}>
            {t('submit')}
          </Button>
          {notice === 'early' && (
            <Button variant="link" onClick={dismissSignIn}>
              {t('back')}
            </Button>
          )}
        </ActionGroup>
      </Form>
    </main>
  );
}
