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
import { notNow, type Session, type SignInOptions, signIn } from '../../session/session.ts';
import { useText } from '../../text/use-text.ts';
import {
  credentialsOf,
  type Entered,
  type Field,
  fieldsOf,
  NOTHING_ENTERED,
  needsPasscode,
  problemOf,
  WAYS,
  type Way,
} from './form.ts';
import { SignInField } from './sign-in-field.tsx';
import { SingleSignOnLinks } from './single-sign-on-links.tsx';
import { signInTexts } from './texts.ts';

export interface SignInPageProps {
  readonly options: SignInOptions;
  /** What happened to the session before. */
  readonly notice?: 'ended' | 'early' | 'left' | undefined;
  /** Why a single sign-on has come to nothing. */
  readonly failure?: Failure | undefined;
  /** Whose session it was, where what he was doing is kept. */
  readonly session?: Session;
}

export function SignInPage({ options, notice, failure, session }: SignInPageProps) {
  const say = useText(signInTexts);
  usePageTitle(say('title'));
  const ways = options.keystone ? WAYS : WAYS.filter((way) => way === 'token');
  const [way, setWay] = useState<Way>(ways[0] ?? 'token');
  const [entered, setEntered] = useState<Entered>(
    session?.kind === 'keystone' ? { ...NOTHING_ENTERED, username: session.user } : NOTHING_ENTERED,
  );
  const [wantsPasscode, setWantsPasscode] = useState(false);
  const [isMissing, setIsMissing] = useState<ReadonlySet<Field>>(new Set());
  const [problem, setProblem] = useState<string | undefined>(
    failure && say('failed.singleSignOn', { message: failure.message }),
  );
  const [isBusy, setIsBusy] = useState(false);
  const fields = fieldsOf(way, wantsPasscode);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // It has taken the place of something else.
    if (notice !== undefined) heading.current?.focus();
  }, [notice]);

  async function submit(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    const missing = fields.filter((field) => entered[field].trim() === '');
    setIsMissing(new Set(missing));
    setProblem(undefined);
    if (missing[0] !== undefined) return document.getElementById(missing[0])?.focus();
    setIsBusy(true);
    try {
      await signIn(credentialsOf(way, entered));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setIsBusy(false);
      if (needsPasscode(error) && !wantsPasscode) return setWantsPasscode(true);
      const { text, values } = problemOf(error, way, wantsPasscode);
      setProblem(say(text, values));
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
        {say('title')}
      </h1>
      <p className="fw-quiet">{say('lead')}</p>
      {notice !== undefined && <Alert isInline variant="info" title={say(`notice.${notice}`)} component="p" />}
      <SingleSignOnLinks names={options.singleSignOn ?? []} inNewTab={session !== undefined} />
      {ways.length > 1 && (
        <ToggleGroup aria-label={say('way.label')}>
          {ways.map((each) => (
            <ToggleGroupItem
              key={each}
              text={say(`way.${each}`)}
              isSelected={each === way}
              onChange={() => {
                setWay(each);
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
            value={entered[field]}
            isMissing={isMissing.has(field)}
            onChange={(value) => setEntered({ ...entered, [field]: value })}
          />
        ))}
        <ActionGroup>
          <Button type="submit" isBlock isLoading={isBusy} isDisabled={isBusy}>
            {say('submit')}
          </Button>
          {notice === 'early' && (
            <Button variant="link" onClick={notNow}>
              {say('back')}
            </Button>
          )}
        </ActionGroup>
      </Form>
    </main>
  );
}
