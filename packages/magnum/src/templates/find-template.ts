import type { Call } from '../http/call.ts';
import { MagnumError, templateNotFound } from '../http/magnum-error.ts';
import { isUuid } from '../stable-uuid.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';
import { OwnTemplates } from './own-templates.ts';
import type { Template } from './template.ts';

export function ownTemplates({ services }: Call): OwnTemplates {
  return new OwnTemplates(services.systemClient, services.projectOfNamespace, services.random);
}

/** All templates: the operator's, and those of tenants that the caller may see. */
export async function readOffer(call: Call): Promise<Catalogue> {
  const [{ plans, templates }, own] = await Promise.all([
    readCatalogue(call.client, call.clock.now()),
    ownTemplates(call).list(call.caller.namespace),
  ]);
  return { plans, templates: [...templates, ...own] };
}

export async function readTemplates(call: Call): Promise<readonly Template[]> {
  return (await readOffer(call)).templates;
}

/** Finds a template by UUID or name. Throws the HTTP status `missing` if none exists, or 409 for an ambiguous name. */
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
