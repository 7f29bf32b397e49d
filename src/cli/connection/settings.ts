import type { z } from 'zod';
import { readSettings } from '../../service/config/schema.js';

/** Settings of the environment, with the service's checks. Throws `InvalidSetting`. */
export function commandSettings<Schema extends z.ZodType>(schema: Schema): z.output<Schema> {
  const { values, problems } = readSettings(schema, process.env);
  for (const problem of problems) throw problem;
  return values;
}
