import { z } from 'zod';
import { Configuration } from './schema.ts';
import { SETTING_FACTS } from './setting.ts';

/** JSON schema of fairway.yaml, for editors. */
export function configurationSchema(): object {
  const schema = z.toJSONSchema(Configuration, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const facts = SETTING_FACTS.get(zodSchema);
      if (facts === undefined) return;
      jsonSchema.description = `${facts.description} (${facts.allowed})`;
      if (facts.default !== undefined) jsonSchema.default = facts.default;
    },
  });
  return { title: 'fairway.yaml', ...schema };
}
