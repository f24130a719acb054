import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { CheckIcon } from '@patternfly/react-icons/dist/esm/icons/check-icon';
import { CopyIcon } from '@patternfly/react-icons/dist/esm/icons/copy-icon';
import { useEffect, useState } from 'react';
import { useText } from '../text/use-text.ts';
import { partTexts } from './texts.ts';

const COPIED_NOTICE_MS = 2_000;

export interface CopyableProps {
  readonly text: string;
  /** A description, for the names of the button and the group. */
  readonly label: string;
  readonly isTall?: boolean;
}

/** Monospaced text with a button that copies it. */
export function Copyable({ text, label, isTall = false }: CopyableProps) {
  const t = useText(partTexts);
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), COPIED_NOTICE_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <div className={isTall ? 'fw-copyable fw-copyable-tall' : 'fw-copyable'}>
      {/* Focusable, so that the keyboard can scroll it. */}
      <pre tabIndex={0} role="group" aria-label={label}>
        {text}
      </pre>
      <Button
        variant="plain"
        size="sm"
        aria-label={t('copy', { what: label })}
        icon={isCopied ? <CheckIcon /> : <CopyIcon />}
        onClick={() => void navigator.clipboard.writeText(text).then(() => setIsCopied(true))}
      />
      <span className="fw-visually-hidden" role="status">
        {isCopied ? t('copied') : ''}
      </span>
    </div>
  );
}
