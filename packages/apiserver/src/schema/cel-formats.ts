import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  qualifiedNameErrors,
} from '@fairway/kube/object/names';
import { type Environment, Optional } from '@marcbachmann/cel-js';
import { hasFormat } from './formats.ts';

type FormatValidator = (text: string) => string[];

class CelFormat {
  readonly errorsOf: FormatValidator;

  constructor(errorsOf: FormatValidator) {
    this.errorsOf = errorsOf;
  }
}

class FormatNamespace {
  readonly name = 'format';
}

/** A prefix may end with a dash: it is valid if a name that begins with it is valid. */
function prefixOf(errorsOf: FormatValidator): FormatValidator {
  return (text) => errorsOf(text.endsWith('-') ? `${text.slice(0, -1)}a` : text);
}

function openApi(format: string): FormatValidator {
  return (text) => (hasFormat(text, format) ? [] : [`invalid ${format}`]);
}

const FORMATS: Readonly<Record<string, FormatValidator>> = {
  dns1123Label: dns1123LabelErrors,
  dns1123Subdomain: dns1123SubdomainErrors,
  dns1035Label: dns1035LabelErrors,
  dns1123LabelPrefix: prefixOf(dns1123LabelErrors),
  dns1123SubdomainPrefix: prefixOf(dns1123SubdomainErrors),
  dns1035LabelPrefix: prefixOf(dns1035LabelErrors),
  qualifiedName: qualifiedNameErrors,
  labelValue: labelValueErrors,
  uri: openApi('uri'),
  uuid: openApi('uuid'),
  byte: openApi('byte'),
  date: openApi('date'),
  datetime: openApi('datetime'),
};

/** `format.dns1123Label().validate(self)` and similar functions (k8s.io/apiserver/pkg/cel/library/format.go). */
export function addFormats(environment: Environment): void {
  environment
    .registerType('FormatNamespace', FormatNamespace)
    .registerType('NamedFormat', CelFormat)
    .registerConstant('format', 'FormatNamespace', new FormatNamespace())
    .registerFunction('NamedFormat.validate(string): optional<list<string>>', (format: CelFormat, text: string) => {
      const errors = format.errorsOf(text);
      return errors.length === 0 ? Optional.none() : Optional.of(errors);
    })
    .registerFunction('FormatNamespace.named(string): optional<NamedFormat>', (_: unknown, name: string) => {
      const errorsOf = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
      return errorsOf === undefined ? Optional.none() : Optional.of(new CelFormat(errorsOf));
    });
  for (const [name, errorsOf] of Object.entries(FORMATS)) {
    const format = new CelFormat(errorsOf);
    environment.registerFunction(`FormatNamespace.${name}(): NamedFormat`, () => format);
  }
}
