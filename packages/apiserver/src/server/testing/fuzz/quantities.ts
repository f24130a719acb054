import { formatQuantity, parseQuantity, QuantityError } from '@fairway/kube/object/quantity';
import { allowErrors, check, type Runs, textOf } from './property.ts';

export function fuzz(parameters: Runs): number {
  const text = textOf(['1', '0', '.', '-', '+', 'e', 'E', 'Ki', 'm', 'n', '9'], 12);
  return check(text, parameters, (quantity) => {
    const parsed = allowErrors(() => parseQuantity(quantity), QuantityError);
    if (parsed === undefined) return;
    const formatted = formatQuantity(parsed);
    // An exponent adds up to 400 digits.
    if (formatted.length > 600) throw new Error(`${formatted.length} characters`);
  });
}
