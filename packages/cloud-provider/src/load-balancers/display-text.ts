/** Events must stay readable, but annotations may have 256 KiB. */
const MAX_SHOWN = 60;

/** Limit for the longer names of annotations. */
export const MAX_NAME = 100;

/** A tenant's text, sanitised for an Event. */
export function displayText(text: string, most = MAX_SHOWN): string {
  const clean = text.slice(0, most + 1).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?');
  return clean.length > most ? `${clean.slice(0, most)}…` : clean;
}
