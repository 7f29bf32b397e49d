import { textBody } from '../../http/body.js';
import type { Context } from '../../http/context.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { mediaTypeOf } from './media-types.js';

/**
 * A CloudEvent in binary mode as the JSON that it would be in structured mode (HTTP Protocol Binding 1.0.2 §3.1). Throws
 * `InvalidRequest` and `PayloadTooLarge`.
 */
export function binaryCloudEvent(ctx: Context): unknown {
  const data = dataOf(ctx);
  const type = ctx.get('content-type');
  return { ...attributesOf(ctx), ...(type !== '' && { datacontenttype: type }), data };
}

const prefix = 'ce-';

function attributesOf({ req: { rawHeaders } }: Context): Record<string, string> {
  const attributes = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]?.toLowerCase() ?? '';
    if (!header.startsWith(prefix)) continue;
    const name = header.slice(prefix.length);
    if (attributes.has(name)) throw new InvalidRequest(`${name}: the header ${header} is repeated`);
    attributes.set(name, decoded(name, rawHeaders[index + 1] ?? ''));
  }
  return Object.fromEntries(attributes);
}

/** §3.1.3.2: unquotes a quoted string (RFC 7230 §3.2.6), then decodes percent-encoded UTF-8 once. */
function decoded(name: string, value: string): string {
  if (/[^\x20-\x7e]/.test(value)) throw new InvalidRequest(`${name}: send other than ASCII characters percent-encoded`);
  const quoted = /^"(.*)"$/.exec(value)?.[1];
  const unquoted = quoted === undefined ? value : quoted.replace(/\\(.)/g, '$1');
  try {
    return unquoted.replace(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent);
  } catch {
    throw new InvalidRequest(`${name}: what is percent-encoded is not UTF-8`);
  }
}

const json = /^(application|text)\/json$|\+json$/;
const plainText = /^text\/|^application\/xml$|\+xml$/;

/** Null without a body: data is optional. Without a type it is JSON: Python's SDK sends none where there is no `datacontenttype`. */
function dataOf(ctx: Context): unknown {
  const body = textBody(ctx);
  if (body === undefined || body === '') return null;
  const type = mediaTypeOf(ctx);
  if (plainText.test(type) && !json.test(type)) return body;
  if (type !== '' && !json.test(type))
    throw new InvalidRequest('datacontenttype: binary data cannot be delivered as JSON; send JSON or text');
  try {
    return JSON.parse(body);
  } catch {
    throw new InvalidRequest('the body is not valid JSON');
  }
}
