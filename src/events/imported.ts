import { z } from 'zod';

/** Origin of a listener or session that an operator imported from another system: the time at which it began there, if known. */
export const imported = z.object({ beganAt: z.iso.datetime().nullable() });

export type Imported = Readonly<z.output<typeof imported>>;

/** The time in an import file. */
export const beganAt = z.iso
  .datetime({ offset: true, error: 'must be a time as 2026-01-31T08:00:00Z' })
  .optional()
  .transform((text) => (text === undefined ? null : new Date(text).toISOString()));

/** Reason for readers of the history. Undefined for other data. */
export function importReason(data: object): string | undefined {
  const found = 'imported' in data ? imported.safeParse(data.imported).data : undefined;
  if (found === undefined) return undefined;
  return found.beganAt === null ? 'imported' : `imported, began at ${found.beganAt}`;
}
