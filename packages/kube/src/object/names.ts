/**
 * apimachinery's name validators (k8s.io/apimachinery/pkg/api/validate/content). Each returns upstream's error messages; none for a valid value.
 */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const KEY_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${KEY_NAME})?`;

const QUALIFIED_NAME = mismatchError(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  KEY_NAME,
  'MyName',
  'my.name',
  '123-abc',
);

// oxlint-disable-next-line fairway/linear-regexps -- of the constant above; names.test.ts measures it
const LABEL_PATTERN = new RegExp(`^${LABEL}$`);
// oxlint-disable-next-line fairway/linear-regexps -- of the constant above; names.test.ts measures it
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);
// oxlint-disable-next-line fairway/linear-regexps -- of the constant above; names.test.ts measures it
const DNS_1035_PATTERN = new RegExp(`^${DNS_1035}$`);
// oxlint-disable-next-line fairway/linear-regexps -- of the constant above; names.test.ts measures it
const KEY_NAME_PATTERN = new RegExp(`^${KEY_NAME}$`);
// oxlint-disable-next-line fairway/linear-regexps -- of the constant above; names.test.ts measures it
const LABEL_VALUE_PATTERN = new RegExp(`^${LABEL_VALUE}$`);

/** RFC 1123 label: names of namespaces and containers, parts of most pods' names. */
export function dns1123LabelErrors(value: string): string[] {
  const errors = lengthErrors(value, 63);
  if (LABEL_PATTERN.test(value)) return errors;
  if (SUBDOMAIN_PATTERN.test(value)) return [...errors, 'must not contain dots'];
  const message =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...errors, mismatchError(message, LABEL, 'my-name', '123-abc')];
}

/** RFC 1123 subdomain: the names of most kinds. */
export function dns1123SubdomainErrors(value: string): string[] {
  const errors = lengthErrors(value, 253);
  if (SUBDOMAIN_PATTERN.test(value)) return errors;
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...errors, mismatchError(message, SUBDOMAIN, 'example.com')];
}

/** DNS-1035 label: names of Services. */
export function dns1035LabelErrors(value: string): string[] {
  const errors = lengthErrors(value, 63);
  if (DNS_1035_PATTERN.test(value)) return errors;
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...errors, mismatchError(message, DNS_1035, 'my-name', 'abc-123')];
}

/** Keys of labels, annotations and taints, names of finalizers and conditions: `[prefix/]name`. */
export function qualifiedNameErrors(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${QUALIFIED_NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const errors: string[] = [];
  const name = parts.at(-1) ?? '';
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    if (prefix === '') errors.push('prefix part must be non-empty');
    else errors.push(...dns1123SubdomainErrors(prefix).map((error) => `prefix part ${error}`));
  }
  if (name === '') errors.push('name part must be non-empty');
  else errors.push(...lengthErrors(name, 63).map((error) => `name part ${error}`));
  if (!KEY_NAME_PATTERN.test(name)) errors.push(`name part ${QUALIFIED_NAME}`);
  return errors;
}

export function labelValueErrors(value: string): string[] {
  const errors = lengthErrors(value, 63);
  if (LABEL_VALUE_PATTERN.test(value)) return errors;
  const message =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...errors, mismatchError(message, LABEL_VALUE, 'MyValue', 'my_value', '12345')];
}

/**
 * Valid as a URL path segment: the rule for kinds whose names are otherwise unrestricted (Roles, parts of the names of
 * CertificateSigningRequests).
 */
export function pathSegmentNameErrors(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((character) => value.includes(character)).map((found) => `may not contain '${found}'`);
}

/** IANA service name: names of ports. */
export function portNameErrors(value: string): string[] {
  const errors = lengthErrors(value, 15);
  if (!/^[-a-z0-9]+$/.test(value)) {
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)');
  if (value.includes('--')) errors.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

function lengthErrors(value: string, maxBytes: number): string[] {
  // A UTF-16 unit takes at most three bytes.
  return value.length * 3 > maxBytes && Buffer.byteLength(value) > maxBytes
    ? [`must be no more than ${maxBytes} bytes`]
    : [];
}

function mismatchError(message: string, pattern: string, ...examples: string[]): string {
  // The double space is upstream's.
  const quoted = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}
