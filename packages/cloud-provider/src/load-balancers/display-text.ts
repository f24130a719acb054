/** Events must stay readable, but annotations may be up to 256 KiB long. */
const MAX_DISPLAY_LENGTH = 60;

/** Limit for annotation names, which are longer. */
export const MAX_NAME_LENGTH = 100;

/** A tenant's string, sanitised for an Event. */
export function displayText(text: string, maxLength = MAX_DISPLAY_LENGTH): string {
  const sanitized = text.slice(0, maxLength + 1).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?');
  return sanitized.length > maxLength ? `${sanitized.slice(0, maxLength)}…` : sanitized;
}
