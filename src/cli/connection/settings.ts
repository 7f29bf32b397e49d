import type { z } from 'zod';
import { readSettings } from '../../service/config/read-settings.js';
import { InvalidConfiguration } from '../../service/config/settings.js';

/** Settings of the environment, with the service's checks. Throws `InvalidConfiguration`. */
export function commandSettings<Schema extends z.ZodType>(schema: Schema): z.output<Schema> {
  const { values, problems } = readSettings(schema, process.env);
  if (problems.size > 0) throw new InvalidConfiguration(problems);
  return values;
}
