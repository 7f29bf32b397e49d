import { NotSerialisable } from '../../event-store/errors.js';

/** Throws `NotSerialisable`: MongoDB would accept a bigint, a date or a function. */
export function requireJson(value: unknown): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (Array.isArray(value)) {
    for (const each of value) requireJson(each);
    return;
  }
  if (!isPlainObject(value)) throw new NotSerialisable(`a document of a view holds a ${typeof value} that is not JSON`);
  for (const each of Object.values(value)) if (each !== undefined) requireJson(each); // JSON omits undefined
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
