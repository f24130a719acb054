import type { FieldError } from '@fairway/kube/object/field-error';
import { forbidden, oneOf, required } from '../kinds/field-errors.ts';
import { clientConfigErrors } from '../kinds/registration/client-config.ts';
import { reviewVersionErrors } from '../kinds/registration/webhook-validation.ts';
import type { CrdConversion } from './types.ts';

/** Errors in `spec.conversion`, with the messages of apiextensions, which refer to its internal fields. */
export function conversionErrors(path: string, conversion: CrdConversion | undefined): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  const { clientConfig, conversionReviewVersions } = webhook ?? {};
  const config = `${path}.webhookClientConfig`;
  const versions = `${path}.conversionReviewVersions`;
  const strategyErrors = oneOf(`${path}.strategy`, strategy, ['None', 'Webhook'], true);
  const only = 'should not be set when strategy is not set to Webhook';
  if (strategy !== 'Webhook') {
    return [
      ...strategyErrors,
      ...(clientConfig === undefined ? [] : [forbidden(config, only)]),
      ...(conversionReviewVersions?.length ? [forbidden(versions, only)] : []),
    ];
  }
  return [
    ...(clientConfig === undefined
      ? [required(config, 'required when strategy is set to Webhook')]
      : clientConfigErrors(config, clientConfig)),
    ...reviewVersionErrors(versions, conversionReviewVersions, ''),
  ];
}
