/** `text` without any `chars` at its ends. Takes linear time, unlike `/-+$/`, which restarts at each dash. Pure. */
export function trimmed(text: string, chars: string): string {
  return trimmedStart(trimmedEnd(text, chars), chars);
}

/** `text` without any `chars` at its start. Pure. */
export function trimmedStart(text: string, chars: string): string {
  let start = 0;
  while (start < text.length && chars.includes(text.charAt(start))) start++;
  return text.slice(start);
}

/** `text` without any `chars` at its end. Pure. */
export function trimmedEnd(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
