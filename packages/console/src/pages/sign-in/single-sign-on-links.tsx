import { recordSingleSignOn, SINGLE_SIGN_ON_PATH } from '../../session/single-sign-on.ts';
import { useText } from '../../text/use-text.ts';
import { signInTexts } from './texts.ts';

export interface SingleSignOnLinksProps {
  readonly names: readonly string[];
  /** Opens in a new tab, so that this tab keeps its input. This tab continues once the other one has signed in. */
  readonly inNewTab: boolean;
}

/** Sign-in methods on other sites. */
export function SingleSignOnLinks({ names, inNewTab }: SingleSignOnLinksProps) {
  const t = useText(signInTexts);
  if (names.length === 0) return null;
  return (
    <div className="fw-sign-in-elsewhere">
      {names.map((name) => (
        <a
          key={name}
          className="pf-v6-c-button pf-m-secondary pf-m-block"
          href={SINGLE_SIGN_ON_PATH}
          {...(inNewTab && { target: '_blank', rel: 'noopener' })}
          onClick={() => recordSingleSignOn(name)}
        >
          {t(inNewTab ? 'singleSignOn.newTab' : 'singleSignOn', { name })}
        </a>
      ))}
      <p className="fw-quiet">{t('singleSignOn.or')}</p>
    </div>
  );
}
