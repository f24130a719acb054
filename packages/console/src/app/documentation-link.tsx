import { OutlinedQuestionCircleIcon } from '@patternfly/react-icons/dist/esm/icons/outlined-question-circle-icon';
import { useDocumentation } from '../session/session.ts';
import { useText } from '../text/use-text.ts';
import { type DocumentationPage, documentationUrl } from './documentation.ts';
import { shellTexts } from './shell/texts.ts';

/** A link to the documentation, if the operator has set its URL. */
export function DocumentationLink({ page }: { readonly page: DocumentationPage }) {
  const t = useText(shellTexts);
  const template = useDocumentation();
  if (template === undefined) return null;
  return (
    <a
      className="fw-documentation"
      href={documentationUrl(template, page)}
      hrefLang="en"
      target="_blank"
      rel="noreferrer"
      aria-label={t('documentation')}
      title={t('documentation.title')}
    >
      <OutlinedQuestionCircleIcon />
      <span className="fw-wide">{t('documentation')}</span>
    </a>
  );
}
