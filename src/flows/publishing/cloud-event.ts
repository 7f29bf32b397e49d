import { z } from 'zod';
import { bodyBytes, parsedJson } from '../../http/body.js';
import type { Context } from '../../http/context.js';
import { UnsupportedMediaType } from '../../http/errors.js';
import { isMediaType, jsonText, mediaTypeOf, plainText } from '../../http/media-type.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { opaqueId, textForPeople } from '../../kernel/input/texts.js';
import { occurrence } from '../../kernel/input/times.js';
import type { JsonObject } from '../../stores/event-store/event-store.js';
import { publishRequest } from '../contract.js';
import type { PublishFlowEvent } from '../publish-flow-event.js';

const maxAttributeLength = 2_048;
const maxAttributes = 100;
const text = textForPeople(maxAttributeLength);

/** CloudEvents 1.0.2 §3, JSON Event Format §2. */
export const cloudEvent = z.object({
  specversion: z.literal('1.0', { error: 'must be 1.0' }),
  id: publishRequest.shape.id
    .unwrap()
    .describe('The `id` of the flow event: unique in the organisation, whatever the source.'),
  source: text.describe('Kept in the history; not delivered.'),
  type: publishRequest.shape.type,
  time: occurrence.optional().describe('The `occurredAt` of the flow event.'),
  subject: text.optional().describe('Kept in the history; not delivered.'),
  datacontenttype: text.optional(),
  dataschema: text.optional(),
  orgid: opaqueId
    .optional()
    .describe('Extension: the `orgId` of the flow event. Optional if the credentials contain it.'),
  flowid: opaqueId.optional().describe('Extension: the `flowId` of the flow event.'),
  data: publishRequest.shape.data.optional().describe('Any JSON; without it `null` is delivered.'),
});

const extension = z.union([text, z.boolean(), z.int()], {
  error: `must be a text of 1 to ${maxAttributeLength} printable characters, a whole number, or true or false`,
});
const withExtensions = cloudEvent.catchall(extension);

/** CloudEvents §3, Naming Conventions. */
const attributeName = /^[a-z0-9]+$/;

/**
 * Attributes that fit no flow event are returned for the history. Throws `InvalidRequest`, which names the attribute.
 */
export function flowEventOf(json: unknown): PublishFlowEvent & { orgId?: string } {
  const event = parseInput(withExtensions, withoutNulls(json));
  const { specversion, id, type, time, orgid, flowid, data = null, ...attributes } = event;
  const cloudEvent = { specversion, ...attributes } as JsonObject; // attributes that are not set are no members
  return { id, type, data, orgId: orgid, flowId: flowid, occurredAt: time, cloudEvent };
}

/** JSON Event Format §2.2: null means not set. Throws `InvalidRequest` for an invalid name. */
function withoutNulls(json: unknown): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json; // the schema refuses it
  const entries = Object.entries(json).filter(([name, value]) => value !== null || name === 'data');
  if (entries.length > maxAttributes) throw new InvalidRequest(`an event may have at most ${maxAttributes} attributes`);
  for (const [name] of entries) {
    if (name === 'data_base64')
      throw new InvalidRequest('data_base64: binary data cannot be delivered as JSON; send JSON or text in data');
    if (!attributeName.test(name))
      throw new InvalidRequest(`${name}: the name of an attribute consists of lower-case letters and digits`);
  }
  return Object.fromEntries(entries);
}

/** HTTP Protocol Binding 1.0.2 §3.1, to the JSON of structured mode. Throws `InvalidRequest`, `UnsupportedMediaType` and `PayloadTooLarge`. */
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

/** §3.1.3.2: unquotes (RFC 7230 §3.2.6), then decodes percent-encoded UTF-8 once. */
function decoded(name: string, value: string): string {
  if (/[^\x20-\x7e]/.test(value)) throw new InvalidRequest(`${name}: send characters outside ASCII percent-encoded`);
  const quoted = /^"(.*)"$/.exec(value)?.[1];
  const unquoted = quoted === undefined ? value : quoted.replace(/\\(.)/g, '$1');
  try {
    return unquoted.replace(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent);
  } catch {
    throw new InvalidRequest(`${name}: the percent-encoded bytes are not UTF-8`);
  }
}

const jsonType = /^(application|text)\/json$|\+json$/;
const textType = /^text\/|^application\/xml$|\+xml$/;

/** Null without a body. JSON without a Content-Type: Python's SDK sends none where there is no `datacontenttype`. */
function dataOf(ctx: Context): unknown {
  const bytes = bodyBytes(ctx);
  if (bytes.length === 0) return null;
  const type = mediaTypeOf(ctx);
  if (type === '' || jsonType.test(type)) return parsedJson(jsonText(ctx, bytes), 'the body');
  if (textType.test(type)) return plainText(ctx, bytes);
  if (!isMediaType(type))
    throw new UnsupportedMediaType(`Content-Type: ${type} is not a media type; send application/json`);
  throw new InvalidRequest('datacontenttype: binary data cannot be delivered as JSON; send JSON or text');
}
