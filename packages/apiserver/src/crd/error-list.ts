import type { FieldError } from '@fairway/kube/object/field-error';

/** Collects field errors. */
export class ErrorList {
  readonly list: FieldError[] = [];

  required(field: string, detail = ''): void {
    this.list.push({ type: 'FieldValueRequired', field, detail });
  }

  invalid(field: string, value: unknown, detail: string): void {
    this.list.push({ type: 'FieldValueInvalid', field, value, detail });
  }

  /** The error for a missing or invalid value: required if there is no value, otherwise invalid. */
  requiredOrInvalid(field: string, value: unknown, detail: string): void {
    if (value === undefined) this.required(field, detail);
    else this.invalid(field, value, detail);
  }

  forbidden(field: string, detail: string): void {
    this.list.push({ type: 'FieldValueForbidden', field, detail });
  }

  notSupported(field: string, value: unknown, supported: readonly string[]): void {
    const quoted = supported.map((each) => JSON.stringify(each)).join(', ');
    this.list.push({ type: 'FieldValueNotSupported', field, value, detail: `supported values: ${quoted}` });
  }
}
