import { InvalidRequest } from '../../../kernel/domain-error.js';
import type { Fields } from '../../fields.js';

/** A number of a form; undefined if the field is empty. Throws `InvalidRequest`. */
export function numberField(form: Fields, name: string): number | undefined {
  const text = form.text(name)?.trim();
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new InvalidRequest(`${name} must be a number`);
  return value;
}
