import { noteSingleSignOn, SINGLE_SIGN_ON_PATH } from '../../session/single-sign-on.ts';
import { useText } from '../../text/use-text.ts';
import { signInTexts } from './texts.ts';

export interface SingleSignOnLinksProps {
  readonly names: readonly string[];
  /** So that what is kept in this one stays; it goes on when the other has signed in. */
  readonly inNewTab: boolean;
}

/** Ways to sign in that lead elsewhere. */
export function SingleSignOnLinks({ names, inNewTab }: SingleSignOnLinksProps) {
  const say = useText(signInTexts);
  if (names.length === 0) return null;
  return (
    <div className="fw-sign-in-elsewhere">
      {names.map((name) => (
        <a
          key={name}
          className="pf-v6-c-button pf-m-secondary pf-m-block"
          href={SINGLE_SIGN_ON_PATH}
          {...(inNewTab && { target: '_blank', rel: 'noopener' })}
          onClick={() => noteSingleSignOn(name)}
        >
          {say(inNewTab ? 'singleSignOn.newTab' : 'singleSignOn', { name })}
        </a>
      ))}
      <p className="fw-quiet">{say('singleSignOn.or')}</p>
    </div>
  );
}
