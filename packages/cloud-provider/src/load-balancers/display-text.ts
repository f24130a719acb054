/** Events must stay readable, but annotations may have 256 KiB. */
const MAX_SHOWN = 60;

/** Limit for the longer names of annotations. */
export const MAX_NAME_LENGTH = 100;

/** A tenant's text, sanitised for an Event. */
export function displayText(text: string, maxLength = MAX_SHOWN): string {
  const sanitized = text.slice(0, maxLength + 1).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?');
  return sanitized.length > maxLength ? `${sanitized.slice(0, maxLength)}…` : sanitized;
}
