import type { Context } from '../../http/context.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { opaqueId } from '../../kernel/opaque-id.js';

/**
 * Returns the ID in a header, undefined if the header is missing. Reads the raw headers, because Node joins or drops repeated
 * ones; `orgid` and `orgId` are the same name. Throws `InvalidRequest` if values differ or are not valid IDs.
 */
export function headerId(ctx: Context, name: 'orgid' | 'userid'): string | undefined {
  const raw = ctx.req.rawHeaders;
  const values = new Set<string>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() === name) values.add(utf8(raw[index + 1] ?? '', name));
  }
  if (values.size > 1) throw new InvalidRequest(`the header ${name} has different values`);
  const [value] = values;
  if (value !== undefined && !opaqueId.safeParse(value).success) {
    throw new InvalidRequest(`the header ${name} must be 1 to 256 printable characters`);
  }
  return value;
}

/** Decodes as UTF-8: Node reads header bytes as Latin-1. */
function utf8(value: string, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    throw new InvalidRequest(`the header ${name} is not UTF-8`);
  }
}
