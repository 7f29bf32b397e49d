import { z } from 'zod';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { printableText } from '../../kernel/input/printable-text.js';
import type { JsonObject } from '../../stores/event-store/event-store.js';
import { publishRequest, timestamp } from '../contract.js';
import type { PublishFlowEvent } from '../publish-flow-event.js';

const maxAttributeLength = 2_048;
/** More than an event has in practice: checking each takes time. */
const maxAttributes = 100;
const text = printableText(maxAttributeLength);

/** A CloudEvent as JSON (CloudEvents 1.0.2 §3, JSON Event Format §2), without its extensions. */
export const cloudEvent = z.object({
  specversion: z.literal('1.0', { error: 'must be 1.0' }),
  id: publishRequest.shape.id
    .unwrap()
    .describe('The `id` of the flow event: unique in the organisation, whatever the source.'),
  source: text.describe('Kept in the history; not delivered.'),
  type: publishRequest.shape.type,
  time: timestamp.optional().describe('The `occurredAt` of the flow event.'),
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

/** §3, Naming Conventions: lower-case letters and digits. */
const attributeName = /^[a-z0-9]+$/;

/**
 * The flow event of a CloudEvent in JSON. Attributes that have no place in a flow event are returned for the history. Throws
 * `InvalidRequest`, which names the attribute.
 */
export function flowEventOf(json: unknown): PublishFlowEvent & { readonly orgId?: string | undefined } {
  const event = parseInput(withExtensions, withoutNulls(json));
  const { specversion, id, type, time, orgid, flowid, data = null, ...attributes } = event;
  const cloudEvent = { specversion, ...attributes } as JsonObject; // attributes that are not set are no members
  return { id, type, data, orgId: orgid, flowId: flowid, occurredAt: time, cloudEvent };
}

/** JSON Event Format §2.2: an attribute that is null is not set. Throws `InvalidRequest` for a name that is none of an attribute. */
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
