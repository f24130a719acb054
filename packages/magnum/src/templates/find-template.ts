import type { Call } from '../http/call.ts';
import { MagnumError, templateNotFound } from '../http/magnum-error.ts';
import { isUuid } from '../stable-uuid.ts';
import { readOperatorTemplates } from './catalogue.ts';
import { OwnTemplates } from './own-templates.ts';
import type { Template } from './template.ts';

export function ownTemplates({ services }: Call): OwnTemplates {
  return new OwnTemplates(services.own, services.projectOfNamespace);
}

/** All that the caller may see. */
export async function readTemplates(call: Call): Promise<readonly Template[]> {
  const [offered, own] = await Promise.all([
    readOperatorTemplates(call.client),
    ownTemplates(call).list(call.caller.namespace),
  ]);
  return [...offered, ...own];
}

/** By UUID or name. Throws the status `missing` where there is none, 409 for a name that several have. */
export function findTemplate(templates: readonly Template[], ident: string, missing: 400 | 404 = 404): Template {
  const found = templates.filter(({ uuid, name }) => (isUuid(ident) ? uuid === ident : name === ident));
  const [template] = found;
  if (template === undefined) throw templateNotFound(ident.slice(0, 255), missing);
  if (found.length > 1) {
    throw new MagnumError(
      409,
      'Multiple cluster templates exist with same name. Please use the cluster template uuid instead.',
    );
  }
  return template;
}
