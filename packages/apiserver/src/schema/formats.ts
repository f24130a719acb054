import { isIP, isIPv4, isIPv6 } from 'node:net';

const MAX_DURATION_CHARS = 256;
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const DURATION = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))*$/;
const HOSTNAME = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)*$/i;

/** The string formats that apiextensions checks (`v1_validation.go`, supportedFormats); other formats are ignored. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: (text) => DATE.test(text) && !Number.isNaN(Date.parse(text)),
  'date-time': (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)),
  datetime: (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  uri: (text) => URL.canParse(text) || text.startsWith('/'),
  uuid: (text) => UUID.test(text),
  // A limit for CEL, which rescans the remaining text for each part.
  duration: (text) => text === '0' || (text.length <= MAX_DURATION_CHARS && DURATION.test(text)),
  // Not repeated groups of four: each repetition takes space on the regex stack.
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  mac: (text) => /^[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}(?:(?:[:-][0-9a-f]{2}){2})?$/i.test(text),
  hostname: (text) => HOSTNAME.test(text),
};

/** Whether `text` has the format; true for formats that are not checked. */
export function hasFormat(text: string, format: string): boolean {
  const check = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return check === undefined || check(text);
}

/** Whether `text` is an IP network such as `10.0.0.0/8`. */
function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/', 3);
  const family = isIP(address);
  return family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}
