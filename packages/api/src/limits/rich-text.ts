/** A word of code or a link within a sentence. */
export type Mark = { readonly code: string } | { readonly link: string; readonly label: RichText };

/** A text with code and links, independent of its format. Strings are literal: each format escapes them. */
export type RichText = readonly (string | Mark)[];

/** A text from a template whose placeholders are texts or marks: text`In ${brand}, use ${code('canal')}.` */
export function text(strings: TemplateStringsArray, ...values: readonly (string | Mark | RichText)[]): RichText {
  const parts = strings.flatMap((string, index): RichText => {
    const value = values[index];
    return [string, ...(value === undefined ? [] : isRichText(value) ? value : [value])];
  });
  return parts.filter((part) => part !== '');
}

export function code(value: string): Mark {
  return { code: value };
}

/** A link with an https URL. */
export function link(label: string | RichText, url: string): Mark {
  return { link: url, label: typeof label === 'string' ? [label] : label };
}

/** A list such as `a`, `b` and `c`. */
export function listOf(values: readonly (string | Mark | RichText)[], word: 'and' | 'or' = 'and'): RichText {
  return values.flatMap((value, index): RichText => {
    const item = isRichText(value) ? value : [value];
    if (index === 0) return item;
    return [index === values.length - 1 ? ` ${word} ` : ', ', ...item];
  });
}

/** The text without marks, for terminals. */
export function plainText(parts: RichText): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return 'code' in part ? part.code : plainText(part.label);
    })
    .join('');
}

function isRichText(value: string | Mark | RichText): value is RichText {
  return Array.isArray(value);
}
